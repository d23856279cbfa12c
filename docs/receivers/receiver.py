"""A receiver of webhooks in Python, standard library only: SECRET=whsec_… PORT=4000 python3 receiver.py"""

import base64
import datetime
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["SECRET"]
TOLERANCE = 5 * 60


def is_recent(seconds: float) -> bool:
    return abs(time.time() - seconds) <= TOLERANCE


def digest(key: bytes, head: str, body: bytes) -> bytes:
    return hmac.new(key, head.encode() + b"." + body, hashlib.sha256).digest()


def is_same(one: str, other: str) -> bool:
    """Compares in a time that says nothing of where the two differ."""
    return hmac.compare_digest(one.encode(), other.encode())


def has_service_signature(headers, body: bytes) -> bool:
    """Service-Signature: hex, keyed with the whole secret, over the time as it was sent, a dot and the raw body."""
    sent_at = headers.get("Service-Timestamp", "")
    try:
        seconds = datetime.datetime.fromisoformat(sent_at.replace("Z", "+00:00")).timestamp()
    except ValueError:
        return False
    expected = "v1=" + digest(SECRET.encode(), sent_at, body).hex()
    return is_recent(seconds) and is_same(headers.get("Service-Signature", ""), expected)


def has_standard_signature(headers, body: bytes) -> bool:
    """Standard Webhooks: base64, one signature or several; a generated secret is decoded, one you chose is used as it is."""
    sent_at = headers.get("webhook-timestamp", "")
    if not (sent_at.isascii() and sent_at.isdigit()):
        return False
    try:
        key = base64.b64decode(SECRET[6:]) if SECRET.startswith("whsec_") else SECRET.encode()
    except ValueError:
        return False
    expected = "v1," + base64.b64encode(digest(key, headers.get("webhook-id", "") + "." + sent_at, body)).decode()
    signatures = headers.get("webhook-signature", "").split(" ")
    return is_recent(int(sent_at)) and any([is_same(signature, expected) for signature in signatures])


# Keep these ids in your database, where every process sees them, in the transaction of what you do about the delivery.
seen = set()


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        genuine = has_service_signature(self.headers, body) or has_standard_signature(self.headers, body)
        # The answer first, the work afterwards: after ten seconds the delivery counts as failed.
        self.send_response(204 if genuine else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()
        self.wfile.flush()
        if genuine:
            take(self.headers["Service-Delivery-Id"], body)

    def log_message(self, *_):
        pass


def take(delivery_id: str, body: bytes) -> None:
    if delivery_id in seen:
        print("repeated", delivery_id, flush=True)
        return
    seen.add(delivery_id)
    event = json.loads(body)
    print("received", event["type"], delivery_id, event["data"], flush=True)


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4000"))), Receiver)
print("listening", flush=True)
server.serve_forever()
