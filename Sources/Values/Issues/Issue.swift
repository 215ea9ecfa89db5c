public import ModelKitEssentials

/// One thing that is wrong with a value: what, where, how bad.
///
/// The message is a fragment, so that a label can stand before it. `description` puts the path
/// there:
///
/// ```swift
/// let issue = Issue(code: "date", path: ["terms", 2, "start"], message: "must not be after the end")
/// issue.description   // "terms[2].start must not be after the end"
/// ```
///
/// The library's own messages are English; a ``MessageCatalogue`` has others. It is an `Error`; the
/// errors that carry several of them say so.
public struct Issue: Sendable {
    /// How bad an issue is.
    ///
    /// Only `.error` makes a value invalid.
    ///
    /// ```swift
    /// let blocking = issues.filter { $0.severity == .error }
    /// ```
    public enum Severity: Int, Hashable, Sendable, Comparable {
        case info
        case warning
        case error

        public static func < (lhs: Severity, rhs: Severity) -> Bool {
            lhs.rawValue < rhs.rawValue
        }
    }

    /// What was broken, for programs: stable, and never translated ("minLength", "required").
    public var code: String {
        didSet {
            // With a code of an author's a catalogue has words for all of it.
            text = plainMessage
            subject = nil
            wording = .own
        }
    }

    /// Where, seen from the value that was checked.
    public var path: FieldPath

    /// What people call the field that it is about, with what leads on from there: "Tags[1]".
    ///
    /// It is there in what a model, a draft, a form or a store reports of a field that has a name
    /// (`Field(name:)`); nil elsewhere, where the path says it. It makes no issue different from another.
    public package(set) var label: String?

    /// What is wrong, for people, as the end of a sentence: "must be greater than 0".
    ///
    /// It is looked up in ``MessageCatalogue/current`` whenever it is read, unless an author wrote it
    /// and gave it no code.
    public var message: String {
        get { MessageCatalogue.currentMessage(for: self) }
        set {
            text = newValue
            subject = nil
            if wording == .standard { wording = .fixed }
        }
    }

    /// The message without a catalogue, and without the subject.
    var text: String

    /// What stands before the message, whatever words that has.
    private(set) var subject: String?

    var wording: Wording

    /// The numbers and texts inside the message, for translations: `["min": 8]`.
    public var parameters: [String: AttributeValue]

    /// How bad it is.
    public var severity: Severity

    public init(
        code: String = "custom",
        path: FieldPath = [],
        message: String,
        parameters: [String: AttributeValue] = [:],
        severity: Severity = .error
    ) {
        self.code = code
        self.path = path
        self.text = message
        self.wording = .own
        self.parameters = parameters
        self.severity = severity
    }

    /// Puts a subject before the message.
    mutating func prepend(_ subject: String) {
        self.subject = self.subject.map { "\(subject) \($0)" } ?? subject
    }

    /// The message without a catalogue.
    var plainMessage: String { phrase(text) }

    /// What has the subject in front, if there is one.
    func phrase(_ text: String) -> String { subject.map { "\($0) \(text)" } ?? text }
}

/// The name that validation code of other libraries uses for an issue.
public typealias ValidationError = Issue

extension Issue: LocalizedError, CustomStringConvertible {
    /// The label, or else the path, and the message; of a path with keys of many characters the beginning.
    public var description: String {
        let place = label ?? path.description.excerpt(1_000)
        return place.isEmpty ? message : "\(place) \(message)"
    }

    public var errorDescription: String? { description }
}

extension Issue: Hashable {
    /// Whether all but the label is the same, the messages as they are without a catalogue.
    public static func == (lhs: Issue, rhs: Issue) -> Bool {
        lhs.code == rhs.code && lhs.path == rhs.path && lhs.plainMessage == rhs.plainMessage
            && lhs.parameters == rhs.parameters && lhs.severity == rhs.severity
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(path)
        hasher.combine(plainMessage)
    }
}

extension Issue {
    /// What a presence rule says of nil.
    @usableFromInline
    static var required: Issue { Issue(standard: "required", message: "is required") }
}

extension [Issue] {
    /// Whether one of them makes the value invalid.
    package var isBlocking: Bool { contains { $0.severity == .error } }

    /// The same of those from an index on.
    package func isBlocking(from start: Int) -> Bool {
        self[start...].contains { $0.severity == .error }
    }

    /// The texts of those that do.
    package var blockingMessages: [String] { filter { $0.severity == .error }.map(\.description) }

    /// Puts a path before the paths of those from an index on.
    @usableFromInline
    mutating func nest(from start: Int, under path: FieldPath) {
        if path.isEmpty { return }
        for index in start..<count {
            self[index].path = path.appending(self[index].path)
        }
    }
}
