"""The gate: only the cockpit's own page comes in, and bytes that it never sends do no harm."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator

import msgspec
import pytest
import viser
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from didymos.cockpit.auth import COOKIE, Auth, may_pass
from didymos.cockpit.feed import Feed
from didymos.cockpit.server import Server
from didymos.cockpit.sticks import Sticks
from didymos.errors import InputError

from .conftest import wait_until

SPEAKS = f"viser-v{viser.__version__}"


@pytest.fixture(scope="module")
def received() -> list[str | bytes]:
    return []


@pytest.fixture(scope="module")
def server(received: list[str | bytes]) -> Iterator[Server]:
    made = Server(port=0, receive=received.append)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def guarded() -> Iterator[Server]:
    made = Server(port=0, token="only-for-friends", receive=lambda text: None)
    yield made
    made.stop()


def get(server: Server, path: str, **headers: str) -> tuple[int, http.client.HTTPMessage, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def join(server: Server, path: str = "/", **options: object) -> ClientConnection:
    return connect(f"ws://127.0.0.1:{server.port}{path}", subprotocols=[SPEAKS], max_size=None, open_timeout=None, **options)  # type: ignore[arg-type]


def test_it_listens_on_loopback_only(server: Server) -> None:
    assert server.url == f"http://127.0.0.1:{server.port}/"
    host = socket.gethostbyname(socket.gethostname())
    if not host.startswith("127."):
        with pytest.raises(OSError):
            socket.create_connection((host, server.port), timeout=2)


def test_the_page_comes_with_the_sticks(server: Server) -> None:
    status, _, body = get(server, "/")
    assert status == 200
    import gzip

    assert b'<script src="web/sticks.js"' in gzip.decompress(body)
    status, headers, body = get(server, "/web/sticks.js")
    assert status == 200
    assert headers["Content-Type"] == "application/javascript"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]  # nobody else's page shows this one
    assert b"WebSocket" in body


@pytest.mark.parametrize(
    "path",
    ["/../gate.py", "/%2e%2e/%2e%2e/__init__.py", "/etc/passwd", "//etc/passwd", "/..\\..\\__init__.py", "/nothing", "/%00"],
)
def test_no_file_of_the_machine_is_served(server: Server, path: str) -> None:
    status, _, body = get(server, path)
    assert status in (400, 404, 500)
    assert b"import" not in body
    assert b"root:" not in body


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "10.0.0.1", ""])
def test_another_name_for_this_machine_is_refused(server: Server, host: str) -> None:
    assert get(server, "/", Host=host)[0] == 403


@pytest.mark.parametrize("path", ["/", "/sticks", "/feed"])
def test_another_page_in_the_same_browser_gets_no_socket(server: Server, path: str) -> None:
    for origin in ("http://evil.example", f"http://127.0.0.1:{server.port + 1}", "null"):
        with pytest.raises(InvalidStatus) as refused:
            join(server, path, origin=origin)
        assert refused.value.response.status_code == 403
    with join(server, path, origin=f"http://127.0.0.1:{server.port}"):
        pass


def test_a_token_is_needed_where_one_is_set(guarded: Server) -> None:
    assert guarded.url.endswith("?token=only-for-friends")
    for path in ("/", "/?token=", "/?token=wrong", "/web/sticks.js"):
        assert get(guarded, path)[0] == 403
    with pytest.raises(InvalidStatus):
        join(guarded)
    status, headers, _ = get(guarded, "/?token=only-for-friends")
    assert status == 200
    cookie = headers["Set-Cookie"].partition(";")[0]
    assert cookie == f"{COOKIE}=only-for-friends"
    assert get(guarded, "/web/sticks.js", Cookie=f"other=1; {cookie}")[0] == 200
    with join(guarded, additional_headers={"Cookie": cookie}):
        pass


def test_another_address_gets_a_token_of_its_own_and_a_short_one_is_refused() -> None:
    made = Server(host="0.0.0.0", port=0, receive=lambda text: None)
    try:
        assert made.token is not None
        assert len(made.token) >= 32
        assert get(made, "/")[0] == 403
    finally:
        made.stop()
    for token in ("short", "with space!", "semi;colon", "ümlaut-token"):
        with pytest.raises(InputError):
            Server(port=0, token=token, receive=lambda text: None)


def test_the_sticks_arrive_and_are_let_go_when_the_page_closes(server: Server, received: list[str | bytes]) -> None:
    received.clear()
    with join(server, "/sticks") as page:
        page.send('{"axes": [0, 1, 0, 0]}')
        wait_until(lambda: len(received) == 1, "the message arrives")
    wait_until(lambda: len(received) == 2, "the sticks are let go")
    assert received == ['{"axes": [0, 1, 0, 0]}', "{}"]


def pack(**fields: object) -> bytes:
    return msgspec.msgpack.encode(fields)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xc1",
        b"\x00" * 1000,
        pack(),
        pack(type="NoSuchMessage"),
        pack(type="ShareUrlRequest"),  # would open a way in from the internet
        pack(type="RunJavascriptMessage", source="alert(1)"),
        pack(type="GuiUpdateMessage"),
        pack(type="GuiUpdateMessage", uuid="x", updates={"update_cb": []}),
        pack(type="GuiUpdateMessage", uuid="x", updates={"value": 1, "props": None}),
        pack(type="FileTransferStartUpload", size_bytes=2**40),
        pack(type=["a"]),
        msgspec.msgpack.encode([1, 2]),
    ],
)
def test_messages_that_no_page_sends_do_not_pass(raw: bytes) -> None:
    assert not may_pass(raw)


def test_a_change_of_a_value_passes() -> None:
    assert may_pass(pack(type="GuiUpdateMessage", uuid="x", updates={"value": 1}))


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_bytes_do_not_pass_and_do_not_raise(raw: bytes) -> None:
    assert not may_pass(raw)


def test_a_page_that_sends_rubbish_stays_connected_and_others_notice_nothing(
    server: Server, received: list[str | bytes]
) -> None:
    calm = join(server)
    with join(server) as rude:
        for raw in (b"\xc1", pack(type="ShareUrlRequest"), pack(type="GuiUpdateMessage", uuid="x", updates={"value": {}})):
            rude.send(raw)
        rude.send("text where bytes are expected")
        rude.send(b"\x00" * 100_000)
        rude.ping().wait()
    calm.ping().wait()
    calm.close()
    assert get(server, "/")[0] == 200


@pytest.mark.parametrize(
    "raw",
    [b"\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\xff" * 5000, b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
     b"GET / HTTP/1.1\r\nHost: [\r\n\r\n", b"GET " + b"/" * 20_000 + b" HTTP/1.1\r\n\r\n"],
)  # fmt: skip
def test_requests_that_are_none_do_no_harm(server: Server, raw: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as line:
        line.sendall(raw)
        line.shutdown(socket.SHUT_WR)
        answer = b""
        try:
            while piece := line.recv(4096):
                answer += piece
        except (ConnectionResetError, TimeoutError):
            pass
    assert b" 200 " not in answer[:20]
    assert get(server, "/web/sticks.js")[0] == 200


def test_a_request_that_upgrades_twice_is_refused(server: Server) -> None:
    request = type("Request", (), {"path": "/", "headers": Headers([("Host", "127.0.0.1"), ("Upgrade", "a"), ("Upgrade", "b")])})
    assert server.auth.answer(None, request, lambda *_: None).status_code == 403


def test_a_message_whose_vector_has_another_size_does_not_pass_and_says_nothing(recwarn: pytest.WarningsRecorder) -> None:
    Auth(None, lambda text: None, Feed())  # what makes viser's warning a refusal, for this process
    zeros = [0.0, 0.0, 0.0]
    camera = {"wxyz": [1.0, *zeros], "position": zeros, "fov": 1.0, "near": 0.1, "far": 9.0, "look_at": zeros,
              "up_direction": zeros, "image_height": 9, "image_width": 9}  # fmt: skip
    assert may_pass(pack(type="ViewerCameraMessage", **camera))
    assert not may_pass(pack(type="ViewerCameraMessage", **(camera | {"position": zeros[:2]})))
    assert not recwarn.list


def test_sticks_beyond_all_numbers_are_no_message() -> None:
    sticks = Sticks()
    sticks.receive('{"axes": [1' + "0" * 400 + ', 0, 0, 0]}')
    assert all(value is None for value in sticks.read(0.0))
