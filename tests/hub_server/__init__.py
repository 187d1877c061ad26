"""A small Hugging Face Hub on loopback, for tests with the real, unmodified clients.

    with HubServer() as hub:
        environment = hub.environment(tmp_path)
        hub.inject(Fault("reset", route="commit"))
        subprocess.run([sys.executable, "push.py"], env=environment)
        assert hub.repository("org/name").files() == {...}

It speaks as much of the Hub's protocol as `huggingface_hub` 2.4 and `datasets` 5.2 need in order
to create, push, propose, list, load and stream. From the wire inwards: `wire` (HTTP and the
misbehaviour of connections), `dispatch` (log, hook, faults), `endpoints` (the protocol), `state`
and `repository` (what is kept, in memory).

Pull requests come from commits with `create_pr`, and stay open: there is no other way to open one
(`upload_folder` over Xet would need it), nor to discuss, merge or delete anything but files.
"""

from .endpoints import ROUTE_NAMES
from .faults import ArmedFault, Fault, RequestRecord
from .repository import Commit, PullRequest, Repository
from .server import HubServer
from .state import User
from .xet import xet_available

__all__ = [
    "ROUTE_NAMES",
    "ArmedFault",
    "Commit",
    "Fault",
    "HubServer",
    "PullRequest",
    "Repository",
    "RequestRecord",
    "User",
    "xet_available",
]
