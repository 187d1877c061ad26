"""The Hub on loopback, proven with the real `huggingface_hub` and `datasets`.

The clients read their settings when they are imported, so each runs in a fresh process. A client
script leaves what it found in `result`, which comes back as JSON.
"""

from __future__ import annotations

import hashlib
import http.client
import io
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hub_server import Fault, HubServer, Repository, RequestRecord, User, xet_available

CLIENT_TIMEOUT = 60
NAME = "org/name"

needs_xet = pytest.mark.skipif(not xet_available(), reason="hf_xet is not installed")

PRELUDE = """
import json
import httpx2
import huggingface_hub
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

api = HfApi()
hub = dict(repo_id="org/name", repo_type="dataset")

def add(path, data):
    return CommitOperationAdd(path, data if isinstance(data, bytes) else data.encode())

def push(**files):
    more = {key: files.pop(key) for key in ("parent_commit", "create_pr") if key in files}
    operations = [add(path.replace("_", "."), data) for path, data in files.items()]
    return api.create_commit(operations=operations, commit_message="push", **hub, **more)

def failure(call):
    try:
        call()
    except Exception as error:
        response = getattr(error, "response", None)
        return [type(error).__name__, response.status_code if response is not None else None]

"""

DATASETS_PRELUDE = """
import datasets
datasets.config.USE_PARQUET_EXPORT = False  # would ask a host that does not exist here
"""


@pytest.fixture
def hub() -> Iterator[HubServer]:
    """Start a Hub with nothing on it."""
    with HubServer() as server:
        yield server


@pytest.fixture
def repository(hub: HubServer) -> Repository:
    """Make a repository with a single text file."""
    return hub.create_repository(NAME, {"a.txt": b"old"})


class Client:
    """A client process that runs a script against a Hub."""

    def __init__(self, hub: HubServer, home: Path, script: str, **options: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PRELUDE + script + "\nprint(json.dumps(result))"],
            env=hub.environment(home, **options),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def result(self) -> Any:
        """Wait for the script to end well and give its result."""
        output, errors = self.process.communicate(timeout=CLIENT_TIMEOUT)
        assert self.process.returncode == 0, errors
        return json.loads(output.splitlines()[-1])


def run(hub: HubServer, home: Path, script: str, **options: Any) -> Any:
    """Run a client script to its end."""
    return Client(hub, home, script, **options).result()


def routes(hub: HubServer) -> list[str]:
    """Give the names of the routes that were asked for, in order."""
    return [record.route for record in hub.requests]


def parquet(first: int, rows: int) -> bytes:
    """Make a Parquet file of consecutive numbers."""
    sink = io.BytesIO()
    numbers = range(first, first + rows)
    pq.write_table(pa.table({"number": numbers, "text": [f"row {n}" for n in numbers]}), sink)
    return sink.getvalue()


# Making commits


def test_a_commit_of_several_files_and_the_same_again(hub: HubServer, tmp_path: Path) -> None:
    result = run(
        hub,
        tmp_path,
        """
card = "---\\nlicense: mit\\n---\\n"
files = {"README.md": card, "data/a.parquet": bytes(5000), "b/c.txt": "text"}
def commit():
    operations = [add(path, data) for path, data in files.items()]
    return api.create_commit(operations=operations, commit_message="push", **hub).oid
url = api.create_repo(**hub)
existing = [failure(lambda: api.create_repo(**hub)), str(api.create_repo(**hub, exist_ok=True))]
oid = commit()
listed = {file.path: file for file in api.list_repo_tree(**hub, recursive=True)}
result = dict(
    url=str(url), existing=existing, oid=oid, sha256=listed["data/a.parquet"].lfs.sha256,
    blob_id=listed["b/c.txt"].blob_id, again=commit(),
)
""",
    )
    repository = hub.repository(NAME)
    url = f"{hub.url}/datasets/{NAME}"
    assert result["url"] == url
    assert result["existing"] == [["HfHubHTTPError", 409], url]
    assert result["oid"] == result["again"] == repository.head()
    assert [commit.title for commit in repository.commits()] == ["push", "initial commit"]
    files = repository.files()
    assert files.pop(".gitattributes")
    assert files == {
        "README.md": b"---\nlicense: mit\n---\n",
        "data/a.parquet": bytes(5000),
        "b/c.txt": b"text",
    }
    assert result["sha256"] == hashlib.sha256(bytes(5000)).hexdigest()
    # What `printf text | git hash-object --stdin` prints.
    assert result["blob_id"] == "f3a34851d44d6b97c90fbb99dd3d18c261b9a237"
    first_push = ["validate_yaml", "preupload", "lfs_batch", "lfs_upload", "lfs_verify", "commit"]
    second_push = ["validate_yaml", "preupload", "lfs_batch", "revision_info"]
    assert routes(hub) == ["create_repo"] * 3 + first_push + ["tree"] + second_push


def test_a_folder_of_many_files_is_one_commit(hub: HubServer, tmp_path: Path) -> None:
    repository = hub.create_repository(NAME)
    folder = tmp_path / "folder"
    folder.mkdir()
    for shard in range(60):
        (folder / f"train-{shard:05}.parquet").write_bytes(b"%d" % shard)
    script = f"result = api.upload_folder(folder_path={str(folder)!r}, **hub).oid"
    assert run(hub, tmp_path / "home", script) == repository.head()
    assert len(repository.commits()) == 2
    assert len(repository.files()) == 61
    assert routes(hub).count("lfs_upload") == 60


def test_a_gitignore_makes_clients_leave_files_out(hub: HubServer, tmp_path: Path) -> None:
    repository = hub.create_repository(NAME, {".gitignore": b"*.bin\n"})
    run(hub, tmp_path, "result = push(a_txt='new', b_bin=bytes(9)).oid")
    assert set(repository.files()) == {".gitattributes", ".gitignore", "a.txt"}
    script = """
operations = [add("b.bin", bytes(9))]
api.preupload_lfs_files("org/name", operations, repo_type="dataset", gitignore_content="# none")
result = api.create_commit(operations=operations, commit_message="push", **hub).oid
"""
    run(hub, tmp_path, script)
    assert "b.bin" in repository.files()


def test_deleting(hub: HubServer, tmp_path: Path) -> None:
    repository = hub.create_repository(
        NAME, {"a.txt": b"a", "b/c.txt": b"c", "b/d/e.parquet": b"e", "bc.txt": b"stays"}
    )
    result = run(
        hub,
        tmp_path,
        """
def delete(*paths):
    operations = [CommitOperationDelete(path) for path in paths]
    return api.create_commit(operations=operations, commit_message="delete", **hub)
result = [failure(lambda: delete("a.txt", "none.txt")), failure(lambda: delete("none/"))]
delete("a.txt", "b/")
""",
    )
    assert result == [["RemoteEntryNotFoundError", 404]] * 2
    assert set(repository.files()) == {".gitattributes", "bc.txt"}
    assert len(repository.commits()) == 3


def test_a_stale_parent_is_refused(hub: HubServer, repository: Repository, tmp_path: Path) -> None:
    head = repository.head()

    def somebody_is_faster(record: RequestRecord) -> None:
        if record.route == "commit":
            repository.add_commit({"foreign.txt": b"foreign"})

    hub.on_request(somebody_is_faster)
    script = f"result = failure(lambda: push(a_txt='new', parent_commit={head!r}))"
    assert run(hub, tmp_path, script) == ["HfHubHTTPError", 412]
    assert repository.files()["a.txt"] == b"old"
    assert repository.commits()[0].title == "foreign push"


def test_of_two_pushes_at_once_one_lands(
    hub: HubServer, repository: Repository, tmp_path: Path
) -> None:
    both = threading.Barrier(2)
    hub.on_request(lambda record: record.route == "commit" and both.wait(CLIENT_TIMEOUT))
    head = repository.head()
    clients = [
        Client(
            hub,
            tmp_path / each,
            f"result = failure(lambda: push(a_txt={each!r}, parent_commit={head!r}))",
        )
        for each in ("one", "two")
    ]
    results = [client.result() for client in clients]
    assert None in results
    assert ["HfHubHTTPError", 412] in results
    winner = ("one", "two")[results.index(None)]
    assert repository.files()["a.txt"] == winner.encode()
    assert len(repository.commits()) == 3


def test_the_card_is_validated(hub: HubServer, repository: Repository, tmp_path: Path) -> None:
    script = "result = failure(lambda: push(README_md='---\\nlicense: mit\\n'))"
    assert run(hub, tmp_path, script) == ["ValueError", None]
    assert routes(hub) == ["validate_yaml"]
    assert "README.md" not in repository.files()


# Who may do what


def test_a_reader_may_only_propose(hub: HubServer, repository: Repository, tmp_path: Path) -> None:
    result = run(
        hub,
        tmp_path,
        """
direct = failure(lambda: push(a_txt="new", b_parquet="b"))
proposed = push(a_txt="new", b_parquet="b", create_pr=True)
more = api.create_commit(
    operations=[add("c.txt", "c")], commit_message="more", revision=proposed.pr_revision, **hub
)
(listed,) = api.get_repo_discussions(**hub)
commits = api.list_repo_commits(**hub, revision=proposed.pr_revision)
result = dict(
    direct=direct, url=proposed.pr_url, number=proposed.pr_num, status=listed.status,
    commits=[commit.commit_id for commit in commits][:2], made=[more.oid, proposed.oid],
    refused=[
        failure(lambda: api.create_branch(**hub, branch="topic")),
        failure(lambda: api.create_tag(**hub, tag="v1")),
        failure(lambda: api.create_repo("org/other", repo_type="dataset")),
    ],
)
""",
        token="hf_reader",
    )
    assert result["direct"] == ["HfHubHTTPError", 403]
    assert routes(hub)[:3] == ["preupload", "preupload", "lfs_batch"]
    assert result["url"] == f"{hub.url}/datasets/{NAME}/discussions/1"
    assert result["number"] == 1
    assert result["status"] == "open"
    assert result["commits"] == result["made"]
    assert result["refused"] == [["HfHubHTTPError", 403]] * 3
    (pull_request,) = repository.pull_requests
    assert pull_request.author == "reader"
    proposed = repository.files(pull_request.revision)
    assert [proposed["a.txt"], proposed["b.parquet"], proposed["c.txt"]] == [b"new", b"b", b"c"]
    assert repository.files()["a.txt"] == b"old"


def test_pull_requests_are_listed_and_read(
    hub: HubServer, repository: Repository, tmp_path: Path
) -> None:
    first = repository.head()
    pushes = f"""
push(a_txt="one", create_pr=True)
push(a_txt="direct", c_txt="direct")
push(b_txt="two", create_pr=True, parent_commit={first!r})
api.token = "hf_reader"
push(b_txt="three", create_pr=True)
result = None
"""
    run(hub, tmp_path, pushes)
    repository.pull_requests[0].status = "closed"
    result = run(
        hub,
        tmp_path,
        """
def listed(**filters):
    found = api.get_repo_discussions(**hub, **filters)
    return [[d.num, d.title, d.author, d.status, d.is_pull_request] for d in found]
def read(number, name):
    return open(api.hf_hub_download(**hub, filename=name, revision=f"refs/pr/{number}")).read()
result = dict(
    everything=listed(),
    open=[each[0] for each in listed(discussion_status="open", discussion_type="pull_request")],
    closed=[each[0] for each in listed(discussion_status="closed", discussion_type="all")],
    others=listed(discussion_type="discussion"),
    own=[each[0] for each in listed(author="owner")],
    refs={
        ref.ref: ref.target_commit
        for ref in api.list_repo_refs(**hub, include_pull_requests=True).pull_requests
    },
    files=[read(1, "a.txt"), read(2, "a.txt"), read(2, "b.txt"), read(3, "b.txt")],
    absent=[failure(lambda: read(2, "c.txt")), failure(lambda: read(4, "a.txt"))],
)
""",
    )
    assert result["everything"] == [
        [3, "push", "reader", "open", True],
        [2, "push", "owner", "open", True],
        [1, "push", "owner", "closed", True],
    ]
    assert [result["open"], result["closed"], result["own"]] == [[3, 2], [1], [2, 1]]
    assert result["others"] == []
    heads = {f"refs/pr/{number}": repository.head(f"refs/pr/{number}") for number in (1, 2, 3)}
    assert result["refs"] == heads
    assert [repository.commits(each)[1].sha for each in heads] == [first, first, repository.head()]
    assert result["files"] == ["one", "old", "two", "three"]
    assert result["absent"] == [["RemoteEntryNotFoundError", 404], ["RevisionNotFoundError", 404]]
    files = repository.files()
    assert "b.txt" not in files
    assert [files["a.txt"], files["c.txt"]] == [b"direct", b"direct"]


def test_a_private_repository_is_hidden(hub: HubServer, tmp_path: Path) -> None:
    script = """
public = api.dataset_info("org/open")
asked = [failure(lambda: api.dataset_info(name)) for name in ("org/name", "org/none")]
result = [*asked, public.private]
"""
    hub.create_repository("org/open")
    run(hub, tmp_path, "result = str(api.create_repo(**hub, private=True))")
    assert hub.repository(NAME).private
    hidden = "RepositoryNotFoundError"
    assert run(hub, tmp_path, script) == [None, [hidden, 404], False]
    assert run(hub, tmp_path, script, token="hf_reader") == [None, [hidden, 404], False]
    assert run(hub, tmp_path, script, token="hf_stranger") == [[hidden, 404]] * 2 + [False]
    assert run(hub, tmp_path, script, token=None) == [[hidden, 401]] * 2 + [False]


def test_tokens(hub: HubServer, tmp_path: Path) -> None:
    hub.create_repository(NAME)
    hub.users["hf_second"] = User("second", writes=True, sees_private=True)
    result = run(
        hub,
        tmp_path,
        """
writers, refused = {}, {}
for token in ("hf_owner", "hf_reader", "hf_stranger", "hf_second"):
    api = HfApi(token=token)
    name = api.whoami()["name"]
    writers[name] = failure(lambda: api.create_tag(**hub, tag=name))
for token in ("hf_unknown", False):
    api = HfApi(token=token)
    calls = (lambda: push(a_txt="new"), lambda: api.create_repo("x"))
    refused[str(token)] = [failure(call) for call in calls]
result = [writers, refused]
""",
    )
    forbidden = ["HfHubHTTPError", 403]
    writers = {"owner": None, "reader": forbidden, "stranger": forbidden, "second": None}
    assert result[0] == writers
    assert result[1] == dict.fromkeys(("hf_unknown", "False"), [["HfHubHTTPError", 401]] * 2)


# References and lists


def test_branches_and_tags(hub: HubServer, repository: Repository, tmp_path: Path) -> None:
    first = repository.head()
    result = run(
        hub,
        tmp_path,
        """
def push_to(revision):
    operations = [add("a.txt", "new")]
    return api.create_commit(
        operations=operations, commit_message="push", revision=revision, **hub
    )
api.create_branch(**hub, branch="topic/1")
branched = push_to("topic/1").oid
api.create_branch(**hub, branch="topic/2", revision=branched)
api.create_tag(**hub, tag="v1")
api.create_tag(**hub, tag="v2", revision="topic/1")
refs = api.list_repo_refs(**hub, include_pull_requests=True)
result = dict(
    branched=branched,
    branches={ref.name: ref.target_commit for ref in refs.branches},
    tags={ref.name: ref.target_commit for ref in refs.tags},
    pull_requests=refs.pull_requests,
    refused=[
        failure(lambda: api.create_branch(**hub, branch="topic/2")),
        failure(lambda: api.create_branch(**hub, branch="refs/pr/1")),
        failure(lambda: api.create_tag(**hub, tag="v1")),
        failure(lambda: api.create_tag(**hub, tag="v3", revision="none")),
        failure(lambda: push_to("v1")),
        failure(lambda: api.dataset_info("org/name", revision="none")),
    ],
    tag_sha=api.dataset_info("org/name", revision="v2").sha,
    short_sha=api.dataset_info("org/name", revision=branched[:7]).sha,
)
""",
    )
    branched = result["branched"]
    branches = {"main": first, "topic/1": branched, "topic/2": branched}
    tags = {"v1": first, "v2": branched}
    assert [result["branches"], result["tags"]] == [branches, tags]
    assert result["pull_requests"] == []
    assert result["refused"] == [
        ["HfHubHTTPError", 409],
        ["BadRequestError", 400],
        ["HfHubHTTPError", 409],
        *[["RevisionNotFoundError", 404]] * 3,
    ]
    assert result["tag_sha"] == result["short_sha"] == branched
    assert [repository.branches, repository.tags] == [branches, tags]
    assert repository.files()["a.txt"] == b"old"


def test_long_lists_come_in_pages(tmp_path: Path) -> None:
    files = {f"data/{name}/{n}.txt": b"x" for name in ("a", "b") for n in range(4)}
    with HubServer(page_size=3) as hub:
        repository = hub.create_repository(NAME, files)
        last = repository.add_commit({"data/b/0.txt": b"changed"}, "change")
        result = run(
            hub,
            tmp_path,
            """
folder = list(api.list_repo_tree(**hub, path_in_repo="data/b", expand=True))
result = dict(
    files=api.list_repo_files(**hub),
    everything=[entry.path for entry in api.list_repo_tree(**hub, recursive=True)],
    root=[entry.path for entry in api.list_repo_tree(**hub)],
    folder={entry.path: entry.last_commit.oid for entry in folder},
    missing=failure(lambda: list(api.list_repo_tree(**hub, path_in_repo="none"))),
    some=[e.path for e in api.get_paths_info(**hub, paths=["data/a", "data/a/1.txt", "none"])],
    commits=[commit.title for commit in api.list_repo_commits(**hub)],
)
""",
        )
        pages = [each for each in hub.requests if each.route == "tree"]
    assert set(result["files"]) == {".gitattributes", *files}
    assert set(result["everything"]) == {".gitattributes", *files, "data", "data/a", "data/b"}
    assert result["root"] == [".gitattributes", "data"]
    before = {f"data/b/{n}.txt": repository.commits()[1].sha for n in range(4)}
    assert result["folder"] == {**before, "data/b/0.txt": last}
    assert result["missing"] == ["RemoteEntryNotFoundError", 404]
    assert result["some"] == ["data/a", "data/a/1.txt"]
    assert result["commits"] == ["change", "first files", "initial commit"]
    # In pages of three: twice all 12 files and folders, 2 in the root, 4 in a folder, an error.
    assert len(pages) == 4 + 4 + 1 + 2 + 1


# Reading files


def test_downloads_and_ranges(hub: HubServer, tmp_path: Path) -> None:
    large = bytes(range(256)) * 40
    repository = hub.create_repository(NAME, {"a.txt": b"text", "b/c.bin": large})
    result = run(
        hub,
        tmp_path,
        """
from pathlib import Path
paths = [api.hf_hub_download(**hub, filename=name) for name in ("a.txt", "b/c.bin")]
url = huggingface_hub.hf_hub_url(**hub, filename="b/c.bin")
def ranged(wanted):
    response = httpx2.get(url, headers={"Range": wanted})
    return [response.status_code, response.headers.get("Content-Range"), response.content.hex()]
with huggingface_hub.HfFileSystem().open("datasets/org/name/b/c.bin", "rb", block_size=64) as file:
    file.seek(300)
    streamed = file.read(8).hex()
metadata = huggingface_hub.get_hf_file_metadata(url)
result = dict(
    contents=[Path(path).read_bytes().hex() for path in paths],
    ranges=[ranged(wanted) for wanted in ("bytes=2-4", "bytes=10238-", "bytes=-3")],
    beyond=httpx2.get(url, headers={"Range": "bytes=10240-"}).status_code,
    streamed=streamed, metadata=[metadata.commit_hash, metadata.etag, metadata.size],
    missing=failure(lambda: api.hf_hub_download(**hub, filename="none")),
)
""",
    )
    assert result["contents"] == [b"text".hex(), large.hex()]
    assert result["ranges"] == [
        [206, "bytes 2-4/10240", "020304"],
        [206, "bytes 10238-10239/10240", "feff"],
        [206, "bytes 10237-10239/10240", "fdfeff"],
    ]
    assert result["beyond"] == 416
    assert result["streamed"] == bytes(range(44, 52)).hex()
    assert result["metadata"] == [repository.head(), hashlib.sha256(large).hexdigest(), 10240]
    assert result["missing"] == ["RemoteEntryNotFoundError", 404]


def test_stock_load_dataset(hub: HubServer, tmp_path: Path) -> None:
    card = """---
configs:
- config_name: small
  default: true
  data_files:
  - {split: train, path: small/train-*.parquet}
  - {split: test, path: small/test-*.parquet}
- config_name: big
  data_files:
  - {split: train, path: big/train-*.parquet}
---
"""
    files = {
        "README.md": card.encode(),
        "small/train-00000-of-00002.parquet": parquet(0, 5),
        "small/train-00001-of-00002.parquet": parquet(5, 4),
        "small/test-00000-of-00001.parquet": parquet(100, 3),
        "big/train-00000-of-00001.parquet": parquet(1000, 2000),
    }
    hub.create_repository(NAME, files, private=True)
    script = (
        DATASETS_PRELUDE
        + """
def rows(config, split, streaming):
    loaded = datasets.load_dataset("org/name", config, split=split, streaming=streaming)
    return [row["number"] for row in loaded]
both = (False, True)
result = dict(
    configs=datasets.get_dataset_config_names("org/name"),
    train=[rows("small", "train", streaming) for streaming in both],
    default=[rows(None, "test", streaming) for streaming in both],
    big=[rows("big", "train", streaming) for streaming in both],
)
"""
    )
    result = run(hub, tmp_path / "owner", script)
    assert result["configs"] == ["small", "big"]
    assert result["train"] == [list(range(9))] * 2
    assert result["default"] == [[100, 101, 102]] * 2
    assert result["big"] == [list(range(1000, 3000))] * 2
    hidden = (
        DATASETS_PRELUDE + "result = failure(lambda: datasets.load_dataset('org/name', 'small'))"
    )
    assert run(hub, tmp_path / "nobody", hidden, token=None) == ["DatasetNotFoundError", None]


# Faults


@pytest.mark.parametrize("status", [401, 403, 412, 429, 500])
def test_a_refused_commit_has_no_effect(
    hub: HubServer, repository: Repository, tmp_path: Path, status: int
) -> None:
    armed = hub.inject(Fault("status", route="commit", status=status, message="no, 不行"))
    result = run(
        hub,
        tmp_path,
        """
try:
    push(a_txt="new")
except huggingface_hub.errors.HfHubHTTPError as error:
    result = [error.response.status_code, str(error.server_message), str(error)]
""",
    )
    assert result[0] == status
    assert "no, 不行" in result[1]
    assert armed.fired == 1
    assert repository.files()["a.txt"] == b"old"
    commits = [record for record in hub.requests if record.route == "commit"]
    assert [(record.status, record.fault) for record in commits] == [(status, "status")]
    assert run(hub, tmp_path, "result = push(a_txt='new').oid") == repository.head()


def test_broken_connections_and_silence(
    hub: HubServer, repository: Repository, tmp_path: Path
) -> None:
    """All on one client: after each fault, the next request needs a new connection."""
    old = repository.head()
    hub.inject(Fault("reset", route="commit"))
    hub.inject(Fault("stall", route="commit", skip=1, seconds=600))
    hub.inject(Fault("truncate", route="commit", skip=2))
    hub.inject(Fault("lost_answer", route="commit", skip=3))
    hub.inject(Fault("lost_answer", route="commit", skip=4, seconds=600))
    heads: list[str] = []
    # A refs request comes after each push: that is when the push's outcome is certain.
    hub.on_request(
        lambda record: heads.append(repository.head()) if record.route == "refs" else None
    )
    result = run(
        hub,
        tmp_path,
        """
result = []
for number in range(6):
    timeout = 1 if number in (1, 4) else 30
    huggingface_hub.set_client_factory(lambda: httpx2.Client(timeout=timeout))
    result.append(failure(lambda: push(a_txt=str(number))))
    api.list_repo_refs(**hub)
""",
    )
    assert [each and each[0] for each in result] == [
        "ReadError",
        "ReadTimeout",
        "RemoteProtocolError",
        "ReadError",
        "ReadTimeout",
        None,
    ]
    assert heads[:2] == [old, old]
    assert len({old, *heads[2:]}) == 5
    pushed = [commit.tree["a.txt"].data for commit in repository.commits()[:5]]
    assert pushed == [b"5", b"4", b"3", b"2", b"old"]
    statuses = [record.status for record in hub.requests if record.route == "commit"]
    assert statuses == [None, None, 200, None, None, 200]


def test_the_client_retries_what_it_may(
    hub: HubServer, repository: Repository, tmp_path: Path
) -> None:
    retry_now = {"Retry-After": "0"}
    content = bytes(range(256)) * 4
    armed = [
        hub.inject(Fault("status", route="preupload", status=429, headers=retry_now)),
        hub.inject(Fault("reset", route="lfs_batch")),
        hub.inject(Fault("lost_answer", route="lfs_upload")),
        hub.inject(Fault("truncate", route="resolve", method="GET", path="b.bin")),
    ]
    result = run(
        hub,
        tmp_path,
        f"""
push(b_bin=bytes.fromhex({content.hex()!r}))
result = huggingface_hub.HfFileSystem().read_bytes("datasets/org/name/b.bin").hex()
""",
    )
    assert result == content.hex()
    assert [each.fired for each in armed] == [1, 1, 1, 1]
    tried = [record.route for record in hub.requests if record.fault or record.method == "PUT"]
    assert tried == ["preupload", "lfs_batch", "lfs_upload", "lfs_upload", "resolve"]
    assert repository.files()["b.bin"] == content


def test_a_fault_at_every_request_in_turn(hub: HubServer, tmp_path: Path) -> None:
    script = "result = failure(lambda: push(README_md='new', a_txt='new', b_bin=bytes(9)))"
    names = ["validate_yaml", "preupload", "lfs_batch", "lfs_upload", "lfs_verify", "commit"]
    for number in range(len(names)):
        repository = hub.create_repository(NAME, {"a.txt": b"old"})
        hub.clear_faults()
        hub.clear_log()
        armed = hub.inject(Fault("status", skip=number, status=400))
        assert run(hub, tmp_path, script) is not None
        assert armed.fired == 1
        assert routes(hub) == names[: number + 1]
        assert len(repository.commits()) == 2


def test_a_gateway_answers_in_html(hub: HubServer, repository: Repository, tmp_path: Path) -> None:
    page = b"<html>Bad gateway</html>"
    hub.inject(Fault("status", route="validate_yaml", status=502, body=page, times=None))
    script = "result = [failure(lambda: push(README_md='x')) for _ in range(2)]"
    assert run(hub, tmp_path, script) == [["JSONDecodeError", None]] * 2
    assert len(repository.commits()) == 2


@pytest.mark.parametrize("route", ["preupload", "lfs_upload", "commit"])
def test_a_client_killed_at_a_request(
    hub: HubServer, repository: Repository, tmp_path: Path, route: str
) -> None:
    script = "push(a_txt='new', b_bin=bytes(9)); result = None"
    client = Client(hub, tmp_path, script)
    killed = threading.Event()

    def kill(record: RequestRecord) -> None:
        if record.route == route:
            client.process.kill()
            client.process.wait()
            killed.set()

    hub.on_request(kill)
    assert killed.wait(CLIENT_TIMEOUT)
    client.process.communicate()
    hub.on_request(None)
    assert run(hub, tmp_path, "push(a_txt='new', b_bin=bytes(9)); result = None") is None
    # The request had arrived whole, so a commit is carried out; the second push finds it done.
    assert [commit.title for commit in repository.commits()][:2] == ["push", "first files"]
    assert repository.files()["a.txt"] == b"new"


# The Xet lane


@needs_xet
def test_real_xet_clients(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    contents = {f"{n}.parquet": bytes([n]) * 70_000 for n in range(3)}
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    with HubServer(xet_folder=tmp_path / "store") as hub:
        repository = hub.create_repository(NAME, {"a.txt": b"old"})
        upload = f"upload = dict(folder_path={str(folder)!r}, **hub)"
        propose = f"""
operations = [CommitOperationAdd(name, f"{folder}/{{name}}") for name in {list(contents)!r}]
made = api.create_commit(operations=operations, commit_message="push", create_pr=True, **hub)
result = made.pr_url
"""
        url = run(hub, tmp_path / "reader", propose, token="hf_reader", xet=True)
        script = f"""{upload}
push(b_parquet=bytes(200_000) + b"end")
result = api.upload_folder(**upload).oid
"""
        assert run(hub, tmp_path / "owner", script, xet=True) == repository.head()
        assert "lfs_upload" not in routes(hub)
        assert "xet_token" in routes(hub)
        assert url == f"{hub.url}/datasets/{NAME}/discussions/1"
        files = repository.files()
        assert files["b.parquet"] == bytes(200_000) + b"end"
        assert {name: files[name] for name in contents} == contents
        assert {*contents} <= {*repository.files("refs/pr/1")}
        read = "result = len(open(api.hf_hub_download(**hub, filename='b.parquet'), 'rb').read())"
        assert run(hub, tmp_path / "third", read, xet=True) == 200_003


@needs_xet
def test_xet_clients_fail_without_the_lane(
    hub: HubServer, repository: Repository, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="xet_folder"):
        hub.environment(tmp_path, xet=True)
    environment = hub.environment(tmp_path)
    del environment["HF_HUB_DISABLE_XET"]
    script = PRELUDE + "print(failure(lambda: push(b_bin=bytes(9))))"
    command = [sys.executable, "-c", script]
    output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "ConnectionError" in output.stdout
    assert len(repository.commits()) == 2


# The server itself


def test_half_a_request_has_no_effect(hub: HubServer) -> None:
    with socket.create_connection(hub.address) as connection:
        connection.sendall(b"POST /api/repos/create HTTP/1.1\r\nContent-Length: 9\r\n\r\n{}")
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b""
    assert hub.requests == []


def test_an_upload_is_checked(hub: HubServer, repository: Repository) -> None:
    path = f"/lfs-upload/api/datasets/{NAME}/{hashlib.sha256(b'content').hexdigest()}"

    def put(content: bytes, **headers: str) -> int:
        connection = http.client.HTTPConnection(*hub.address)
        connection.request("PUT", path, content, headers)
        status = connection.getresponse().status
        connection.close()
        return status

    assert put(b"other") == 400
    assert put(b"content", Authorization="Bearer hf_owner") == 400
    assert put(b"content") == 200
    assert list(repository.uploads.values()) == [b"content"]


def test_mistakes_in_a_test_come_to_light() -> None:
    with HubServer() as hub, pytest.raises(ValueError, match="no route 'comit'"):
        hub.inject(Fault("reset", route="comit"))
    with pytest.raises(KeyError):
        hub.repository("org/none")
    with pytest.raises(ValueError, match="unknown kind"):
        Fault("explode")  # type: ignore[arg-type]


def test_a_failed_hook_fails_the_test(tmp_path: Path) -> None:
    def failing(record: RequestRecord) -> None:
        raise RuntimeError(f"hook failed at {record.route}")

    def whoami() -> None:
        with HubServer() as hub:
            hub.on_request(failing)
            assert run(hub, tmp_path, "result = api.whoami()['name']") == "owner"

    with pytest.raises(AssertionError, match="hook failed at whoami"):
        whoami()


def test_the_environment_keeps_foreign_settings_out(
    hub: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HF_TOKEN", "HF_DATASETS_CACHE", "HUGGINGFACE_HUB_CACHE", "http_proxy"):
        monkeypatch.setenv(name, "foreign")
    monkeypatch.setenv("UNRELATED", "kept")
    environment = hub.environment(tmp_path, token=None)
    assert "foreign" not in environment.values()
    assert environment["UNRELATED"] == "kept"
    assert environment["HF_ENDPOINT"] == hub.url
