import ModelKitREST

private func use() -> HTTPRequest {
    HTTPRequest(.get, "https://a.example", "/people", headers: ["Accept": "application/json"])
}
