import Foundation

/// The standard streams.
///
/// A reader that has gone away is not an error.
enum Console {
    static func print(_ line: String) throws(Failure) {
        try write(Data((line + "\n").utf8))
    }

    static func write(_ data: Data) throws(Failure) {
        do {
            try FileHandle.standardOutput.write(contentsOf: data)
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            if cause?.code == Int(EPIPE) { return }
            throw .unreadable("the output cannot be written: \(error.localizedDescription)")
        }
    }

    static func error(_ line: String) {
        note("contacts: \(line)\n")
    }

    /// Writes to standard error as it is.
    static func note(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    /// Whether a person looks at both streams.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }
}
