extension RESTRouter {
    /// The path of batches of writes.
    var batchPath: String { "/batch" }
}
