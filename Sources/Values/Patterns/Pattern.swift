/// A regular expression that is looked for in text, in time that grows with the length of the text
/// and no faster.
///
/// ```swift
/// let plate = try Pattern(#"^[A-Z]{1,3}-\d+$"#)
/// plate.isFound(in: "HD-42")   // true
/// plate.isFound(in: "hd-42")   // false
/// ```
///
/// The dialect is that of ECMA-262 with its `u` flag, the one of JSON Schema: `.`, classes such as
/// `[^a-z]`, `\d \w \s \b` and their opposites, `\t \n \v \f \r \0 \cX \xHH \uHHHH \u{…}`, groups,
/// `|`, `* + ? {n} {n,} {n,m}` and their lazy forms, `^` and `$`. Any ASCII punctuation may be
/// escaped; a schema has it without the escape where ECMA-262 refuses that. `$` is the end of the text
/// alone, not the place before a last line feed; `\d`, `\w` and `\b` are about ASCII. It looks at
/// Unicode scalars: `é` in two of them is not `é` in one.
///
/// `\p{…}` and `\P{…}` know the general categories by their short and long names (`Lu`,
/// `Uppercase_Letter`, `L`, `gc=Letter`), and Alphabetic, Any, ASCII, Assigned, Emoji, Lowercase,
/// Uppercase and White_Space, as the Unicode version of the standard library has them.
///
/// No matcher can find back-references in such time, and this one does not look around: a pattern
/// with either is refused, and so are flags, other Unicode properties, such as scripts, and whatever
/// the dialect does not know. A pattern is at most 10 000 steps long, repetitions written out.
public struct Pattern: Sendable {
    /// The regular expression as it was written.
    public let source: String

    private let program: PatternProgram

    /// Makes a pattern of a regular expression.
    ///
    /// - Parameter source: The regular expression, without slashes around it.
    /// - Throws: What is refused, and where.
    public init(_ source: String) throws(PatternError) {
        try self.init(source, takesHyphens: false)
    }

    // A hyphen beside `\w` in a class may be itself: `[\w-.]`.
    package init(_ source: String, takesHyphens: Bool) throws(PatternError) {
        self.source = source
        var parser = PatternParser(source, takesHyphens: takesHyphens)
        program = try parser.parse()
    }

    /// Whether the pattern matches somewhere in a text.
    ///
    /// Takes time in proportion to the length of the text times that of the pattern, at worst; mostly
    /// a long text takes it to the length alone. From 512 bytes on it takes memory, too.
    public func isFound(in text: String) -> Bool {
        var text = text
        return text.withUTF8(program.isFound)
    }
}

extension Pattern {
    /// The regular expression without escapes of what stands for itself anyway, which ECMA-262
    /// refuses with its `u` flag: a hyphen outside of a class, a quotation mark anywhere.
    var portableSource: String {
        var isEscaped = false
        var isInClass = false
        return source.unicodeScalars.reduce(into: "") { result, scalar in
            if isEscaped {
                isEscaped = false
                let isNeeded = scalar.isPatternSyntax || isInClass && scalar == "-"
                if isNeeded || !scalar.isPunctuation { result += #"\"# }
            } else if scalar == #"\"# {
                isEscaped = true
                return
            } else if scalar == "[" || scalar == "]" {
                isInClass = scalar == "["
            }
            result.unicodeScalars.append(scalar)
        }
    }
}
