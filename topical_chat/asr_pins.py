"""Pins of the 84 synthetic speech-recognition files: Git blob ids by folder, error rate and seed.

They stand apart from `sources.py` only because there are so many of them. Source: the Git tree of
the commit named there.
"""

from __future__ import annotations

from dialogue_builders.spec import Pin

# (folder, split) → (target word error rate, seed) → Git blob id
_BLOBS: dict[tuple[str, str], dict[tuple[float, int], str]] = {
    ("train", "train"): {
        (0.1, 1): "4a3f4181b643e2610f5cef0df4611b36045f8aa3",
        (0.15, 1): "b1aa988ff3e2fe12ff80f8842f73f0d9e9656cc3",
        (0.2, 1): "faf74aea13ee2ce1dc2068637863bc7c36e70d06",
        (0.3, 1): "710228e006d15745c4ab8ff0f6dc325c214a5bc2",
    },
    ("valid/freq", "valid_freq"): {
        (0.1, 0): "0ea9ccd284573a1950976be7cae908d5e870bab8",
        (0.1, 1): "399bf16482ddfc0a21e7ffa73dd20d8744c749f8",
        (0.1, 2): "31e598dc724c391690ab580b035fb103abb1e709",
        (0.1, 3): "6efa755974b56d084e4819be42c5681ae6be722e",
        (0.1, 4): "4cc960580cdce3ae886a5a2bebdf04157bc20c78",
        (0.15, 0): "5e4364c7b262d09a27ff357d511b91c66e6ad6da",
        (0.15, 1): "3dd33e99c7bc70c9627f35904ebd60fd94947aa1",
        (0.15, 2): "05b75d10d570a70b56c8db545d72f80dd3b6b5df",
        (0.15, 3): "975e7ae9f6f6689c38a4eba04cd605f4dc444660",
        (0.15, 4): "cf079d660887e9913a252b7b816c73a6e587628b",
        (0.2, 0): "2f0df974d152ad525123f5cb9efd4d5b9354a09a",
        (0.2, 1): "fc62d32dd9cd85a95fc641a8ff2541084159b5e8",
        (0.2, 2): "0930994ce7d23fddab4a823715265d3b606a8d5b",
        (0.2, 3): "7d596b62016ad0f4c970515b205de81fb09781e5",
        (0.2, 4): "d531eaad16c3b0ff57db6ea17bee12d942ec79f3",
        (0.3, 0): "2f47a5cd4dbba5b29682f1109f90563a32f0248b",
        (0.3, 1): "6d76054648ee7c853a7dc8b64b404a013b475de6",
        (0.3, 2): "4685b9900e907e76ed1da2451488cf75a980fe23",
        (0.3, 3): "732067fe05ade547685d987a947949261e060b61",
        (0.3, 4): "10a1ccc590f26e5c6c013887cb707704cb1728a3",
    },
    ("valid/rare", "valid_rare"): {
        (0.1, 0): "a8eaf8b85be113fd8d93849cb9abf0b73d734853",
        (0.1, 1): "740a69f2d431951d9d3acff4110941c1447f25e9",
        (0.1, 2): "6423dcdcc3dabd6a6a130e11ffcb3cb0e72f9399",
        (0.1, 3): "74600823a4ec9e965a2c30f98d1fc9b9e8316d28",
        (0.1, 4): "c0eacc00f781dec63628eac3c25b826cabe353cd",
        (0.15, 0): "1c6830acc9086f448390d52cd578304dc1252547",
        (0.15, 1): "4c583e7ba583301d1039adb511a2e15e2b835724",
        (0.15, 2): "22da228e7049bef9b6785e0fa40846be381e403c",
        (0.15, 3): "19b061ce529f218f0fc74a78c2d313b501eea8de",
        (0.15, 4): "4c2af60666a87c37c2a8ef1aec5b5b000d5632ec",
        (0.2, 0): "3b8d2691e3ae4b0f079ee2e18033a54c28a948f0",
        (0.2, 1): "b65d1777c40ea50f934c1e81283343e9a90d249c",
        (0.2, 2): "e24eec0db87fd78f528b83d0c29ddfe9f1adc879",
        (0.2, 3): "4eb672895f3840667cdd32e7e53f53ce61cc2ad6",
        (0.2, 4): "de2795f2332d29ce63ec44a02e8378379ed08271",
        (0.3, 0): "1567b71cd19b91b6664b6fcdb832456a87cd1019",
        (0.3, 1): "fc2a9bbaff7c04cdb2c04c66a36af2f9d72edf68",
        (0.3, 2): "ddab1ddc5ba933ec0906126c70ffde65a3f00b59",
        (0.3, 3): "966053f06b75fee81acb82df20dc3e16a907d355",
        (0.3, 4): "411362133eed016918195458af6850a23a6c96ec",
    },
    ("test/freq", "test_freq"): {
        (0.1, 0): "e3045adfb750bb02abf2748565c3cb0bbd751ce4",
        (0.1, 1): "12d7c1bc7d80661036a76c7d9deabef0acc57347",
        (0.1, 2): "40bdd5c7fed6e20576a9bfc21fe53df5d8a2e156",
        (0.1, 3): "648378298abd7d078357f46860d9a2bf1326c29f",
        (0.1, 4): "896f52ae9023b27b4345af9e5248620a5b1b9d12",
        (0.15, 0): "df00a6e98339902f3ab810d10088a9582158ac21",
        (0.15, 1): "b85ed30984bd1b84c43a80f70b15bd331dbe8f93",
        (0.15, 2): "ea786153f3ad6c073591ffa5d31bae56c7240626",
        (0.15, 3): "dad52c0b07f5205f7d8d3acc73530bf49de1d418",
        (0.15, 4): "657f796f53f408072685cce2696df1fbe6f598fa",
        (0.2, 0): "d9d4f8fb4a74f87cea34528d305397a8931822d5",
        (0.2, 1): "598455939d195b4b80ae5091e2b3ef3b366fb40a",
        (0.2, 2): "68a36f174ecc73db6fb21dd178cc1bef9203a424",
        (0.2, 3): "3085ed80bcf0516eb2f2a7b5608e40d682b6979f",
        (0.2, 4): "fef4b8ab89f8ac6e6dc17a327786ac3044bc798a",
        (0.3, 0): "345c81d0f207644313f7b910f0c76f79e39f4f98",
        (0.3, 1): "3a71950bf8970f736a65d366f21f393c2b2eb46f",
        (0.3, 2): "527390b6dc251aaff977ec8ba94f854553c23087",
        (0.3, 3): "5f8ea0cddce5e3aab3303d2a72a6315369008c11",
        (0.3, 4): "3594f8f8d74d152202758890e6ba64184b4eddbc",
    },
    ("test/rare", "test_rare"): {
        (0.1, 0): "9ff8052e6f56ca276595404e384661d36e0a5408",
        (0.1, 1): "a4d6942970906266eceb195a126aaaf49ec69813",
        (0.1, 2): "42ebe6dd327c38db0893ff9e39d51687ca93273d",
        (0.1, 3): "7345d4b2a04a45ddd965f52ba600d89d94cd533c",
        (0.1, 4): "dbee5f2398a3deb0f0d1b748f40c015b8fc90988",
        (0.15, 0): "971ad16691817e7c9b6f3aa2d77cf2446763e5f6",
        (0.15, 1): "1d196be41da458a019432251281ea5af4adc4af0",
        (0.15, 2): "52dc8005583944f4c39a8dc905da6a80bb06796f",
        (0.15, 3): "f8f5f6003471000c2875e154a755f775c5cb25b6",
        (0.15, 4): "577732b07c99e0ea73bb22bb199851c61a09df05",
        (0.2, 0): "f5db27a0e740b4f43d119930d3067b4f32bd0727",
        (0.2, 1): "831fc69cf94dce4073116b008a2dce853aa34500",
        (0.2, 2): "7c8c24ebb19b5509d953f030bf58a6c9e538e315",
        (0.2, 3): "a9797e91e7a0389df99ca0359ac964aefad17a93",
        (0.2, 4): "2f0f42ff79dd1c13ada4010fbc7e01fd25079e2f",
        (0.3, 0): "06d8f84294763a60df17291d4c9926377941024c",
        (0.3, 1): "0c184fa97b241462b0cfa306fa15a45523a9c149",
        (0.3, 2): "7397dc1b1b8296b79ff5545574b1d9c9f39499d1",
        (0.3, 3): "0e85ed2a6bb6fd8062ddd1bb7e4fd8a71fcbb749",
        (0.3, 4): "8a6f3651e01e776ba72a36c83c026a3249e0d103",
    },
}

ASR_PINS: tuple[Pin, ...] = tuple(
    Pin(f"TopicalChatASR/synthetic/{folder}/{split}_wer_{rate}_seed_{seed}.json", blob)
    for (folder, split), blobs in _BLOBS.items()
    for (rate, seed), blob in blobs.items()
)
