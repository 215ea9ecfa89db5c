extension Issue {
    /// Whose words a message is.
    enum Wording: UInt8, Sendable {
        /// The library's, which a catalogue may replace.
        case standard

        /// An author's, which may be replaced if there is a code for it.
        case own

        /// An author's, in place of the library's under its code.
        case fixed
    }

    /// An issue of the library, whose code and message are its own.
    @usableFromInline
    package init(standard code: String, message: String, parameters: [String: AttributeValue] = [:])
    {
        self.init(code: code, message: message, parameters: parameters)
        wording = .standard
    }

    /// An issue of a rule of the library, whose code and message an author may have chosen.
    init(
        code: String,
        message: String,
        parameters: [String: AttributeValue] = [:],
        unlike standard: (code: String, message: String)
    ) {
        self.init(code: code, message: message, parameters: parameters)
        if message == standard.message {
            wording = .standard
        } else if code == standard.code {
            wording = .fixed
        }
    }

    /// Whether a catalogue may have another message for the code.
    var isReplaceable: Bool {
        switch wording {
        case .standard: true
        case .own: code != "custom" || text == "is invalid"
        case .fixed: false
        }
    }
}
