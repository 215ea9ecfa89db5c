import Foundation

/// The standard streams.
///
/// A reader that has gone away is not an error.
enum Console {
    /// Writes a line for people, in which nothing controls their terminal.
    static func print(_ line: String) throws(Failure) {
        try write(Data((line.visible + "\n").utf8))
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
        note("contacts: \(line.visible)\n")
    }

    /// Writes to standard error as it is.
    static func note(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    /// Whether a person looks at both streams.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }
}

extension String {
    /// The text with what would control a terminal in a form that can be read: an escape is `\u{1B}`.
    fileprivate var visible: String {
        unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: scalar.escaped(asASCII: true)
            // What turns the direction of the text around.
            case .format where scalar.properties.isBidiControl: scalar.escaped(asASCII: true)
            default: String(scalar)
            }
        }
        .joined()
    }
}
