// What was found is shown in messages and parameters of issues, which logs and servers pass on: never more
// of it than people read.

extension AttributeValue {
    /// What was found, inside a message: a text in quotes, of which the beginning, and of an array, a
    /// dictionary and data what they are.
    package var excerpt: String {
        switch self {
        case .string(let text): text.excerpt().debugDescription
        case .array, .dictionary, .data: kind
        default: description
        }
    }

    /// The same as a parameter of an issue.
    package var excerptValue: AttributeValue {
        switch self {
        case .string(let text): .string(text.excerpt())
        case .array, .dictionary, .data: .string(kind)
        default: self
        }
    }
}

extension Issue {
    /// The same issue, of whose message and texts the beginning, if an author has put all into it that was
    /// found.
    package var bounded: Issue {
        var issue = self
        if text.utf8.count > 1_000 { issue.text = text.excerpt(1_000) }
        for (name, value) in parameters {
            guard case .string(let text) = value, text.utf8.count > 1_000 else { continue }
            issue.parameters[name] = .string(text.excerpt(1_000))
        }
        return issue
    }
}

extension StringProtocol {
    /// The beginning of a text that is longer than so many characters, with an ellipsis; otherwise the text.
    package func excerpt(_ limit: Int = 100) -> String {
        if utf8.count <= limit { return String(self) }
        // A character may consist of any number of scalars.
        let scalars = unicodeScalars.prefix(limit * 4)
        let isCut = scalars.endIndex < unicodeScalars.endIndex
        var head = String(String.UnicodeScalarView(scalars))
        // The last character may go on behind the cut.
        if isCut, head.count > 1 { head.removeLast() }
        let start = head.prefix(limit)
        return isCut || start.endIndex < head.endIndex ? start + "…" : head
    }
}
