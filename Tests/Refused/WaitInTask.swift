import ModelKitStores

// A task does not block its thread.
func number(_ promise: Promise<Int>) async throws -> Int {
    try promise.wait()  // error: instance method 'wait' is unavailable from asynchronous contexts
}
