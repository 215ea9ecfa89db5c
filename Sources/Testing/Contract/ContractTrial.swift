/// A case of a contract that is being tried out.
protocol ContractTrial: Sendable {
    var sentence: String { get }
    /// Where the case is written.
    var file: String { get }
}

extension ContractTrial {
    func expect(_ condition: Bool, _ message: @autoclosure () -> String, line: Int = #line) throws {
        if !condition { throw violation(message(), line) }
    }

    func expect<Value: Equatable>(
        _ found: Value,
        _ expected: Value,
        _ what: @autoclosure () -> String,
        line: Int = #line
    ) throws {
        if found != expected {
            throw violation("\(what()) must be \(expected), not \(found)", line)
        }
    }

    func violation(_ message: String, _ line: Int) -> ContractViolation {
        ContractViolation(sentence: sentence, message: message, file: file, line: line)
    }
}
