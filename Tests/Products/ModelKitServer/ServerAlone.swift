import ModelKitServer

private func use(_ handler: RESTHandler) -> String { "\(handler)" }
