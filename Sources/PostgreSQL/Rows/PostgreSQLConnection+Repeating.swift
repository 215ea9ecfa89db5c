extension PostgreSQLConnection {
    /// So often something is tried that the server gives up for the sake of others.
    private static var mostAttempts: Int { 10 }

    /// Does something, and again where the server gives it up for the sake of others; what is open is rolled back then.
    func repeating<Value>(_ body: () throws -> Value) throws -> Value {
        var attempt = 1
        while true {
            do {
                return try body()
            } catch let error as PostgreSQLError
                where error.isOfConcurrency && attempt < Self.mostAttempts
            {
                endTransaction()
                // Not all at once again.
                sleep(forSeconds: .random(in: 0...0.002 * Double(1 << attempt)))
                attempt += 1
            }
        }
    }
}
