/// How what people type becomes a value of a type, or else what is wrong with it.
///
/// ```swift
/// let age: Parser<String, Int> = .trimmed.orNil.then(.integer).then(.range(0...150))
/// try age.parse(" 42 ")                        // 42
/// try age.parse(" ")                           // nil
/// age.issues(for: "4 2").map(\.message)        // ["must be a whole number"]
/// age.print(42)                                // "42"
/// ```
///
/// nil is never parsed: it becomes nil. Blank text is text like any other, unless `orNil` takes it
/// for nil. A parser never changes, so threads may share it; field and text are bound by one with
/// `text.bind(to: age, by: parser)`.
///
/// As a rule it demands that a value can be parsed: `text.require(parser)`.
public struct Parser<Input: Sendable, Output: Sendable>: Sendable {
    /// Reads a value, or appends why there is none; without such an issue nil is what was read.
    package let read: @Sendable (Input?, inout [Issue]) -> Output?

    /// Writes a value so that it is read again; nil if the parser only reads.
    package let write: (@Sendable (Output) -> Input?)?

    init(
        write: (@Sendable (Output) -> Input?)?,
        read: @escaping @Sendable (Input?, inout [Issue]) -> Output?
    ) {
        self.read = read
        self.write = write
    }

    /// Makes a parser of closures.
    ///
    /// ```swift
    /// let color = Parser<String, Color>("must be a color", code: "color") { text in
    ///     Color(css: text)
    /// } print: { color in
    ///     color.css
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - message: What is wrong with a value that cannot be read, as the end of a sentence.
    ///   - code: The same for programs.
    ///   - parameters: The numbers and texts inside the message.
    ///   - read: Makes the value, or nil if that cannot be. What it throws is reported in place of the
    ///     message: the issues of an `IssuesError`, an `Issue` as it is, another error with the code
    ///     "conversion". Called on any thread.
    ///   - print: Writes a value so that it is read as the same; nil if that cannot be. Without it
    ///     the parser only reads. Called on any thread.
    public init(
        _ message: String = "is invalid",
        code: String = "custom",
        parameters: [String: AttributeValue] = [:],
        _ read: @escaping @Sendable (_ input: Input) throws -> Output?,
        print: (@Sendable (_ output: Output) -> Input?)? = nil
    ) {
        let failure = Issue(code: code, message: message, parameters: parameters)
        self.init(failure, read, print: print)
    }

    /// The issue is made once, here.
    init(
        _ failure: Issue,
        _ read: @escaping @Sendable (Input) throws -> Output?,
        print: (@Sendable (Output) -> Input?)? = nil
    ) {
        self.init(write: print) { input, issues in
            guard let input else { return nil }
            do {
                if let output = try read(input) { return output }
                issues.append(failure)
            } catch {
                issues += [Issue](thrown: error)
            }
            return nil
        }
    }
}

extension Parser {
    /// The value that was typed.
    ///
    /// - Parameter input: What was typed; nil is nothing.
    /// - Returns: The value; nil if nothing was typed. What its rules only warn of is in
    ///   `issues(for:)`.
    /// - Throws: A `ParserError` with everything that is wrong.
    public func parse(_ input: Input?) throws(ParserError) -> Output? {
        var issues: [Issue] = []
        let output = read(input, &issues)
        if issues.isBlocking { throw ParserError(issues: issues) }
        return output
    }

    /// What is wrong with what was typed, warnings included; nothing if it is a value.
    public func issues(for input: Input?) -> [Issue] {
        var issues: [Issue] = []
        _ = read(input, &issues)
        return issues
    }

    /// A value as it is typed; nil for nil, for a value that cannot be typed, and if the parser only
    /// reads.
    ///
    /// It need not be what was typed: `parse(" 042")` may give what is printed as "42".
    public func print(_ output: Output?) -> Input? { output.flatMap { write?($0) } }
}

extension Parser: RuleConvertible {
    /// The rule that a value can be parsed: it has the issues of the parser.
    public var rule: Rule<Input> { Rule(issues: issues(for:)) }
}
