extension Parser {
    /// A parser that has another one parse what this one gives, nil as well.
    ///
    /// It prints if both do.
    ///
    /// ```swift
    /// enum Grade: Int, CaseIterable { case good = 1, fair, poor }
    /// let grade = Parser<String, Int>.integer.then(Parser<Int, Grade>.rawValue)
    /// grade.issues(for: "7").map(\.message)   // ["must be one of 1, 2, 3"]
    /// ```
    public func then<Next>(_ next: Parser<Output, Next>) -> Parser<Input, Next> {
        var write: (@Sendable (Next) -> Input?)?
        if let first = self.write, let second = next.write {
            write = { second($0).flatMap(first) }
        }
        return Parser<Input, Next>(write: write) { [read] input, issues in
            let start = issues.count
            let output = read(input, &issues)
            return issues.isBlocking(from: start) ? nil : next.read(output, &issues)
        }
    }

    /// A parser whose values have to satisfy a rule, which decides about nil, too.
    ///
    /// ```swift
    /// let age: Parser<String, Int> = .trimmed.orNil.then(.integer).then(.required)
    /// age.issues(for: " ").map(\.message)   // ["is required"]
    /// ```
    public func then(_ rule: Rule<Output>) -> Parser {
        then(
            Parser<Output, Output>(write: { $0 }) { output, issues in
                rule.check(output, at: [], into: &issues)
                return output
            }
        )
    }

    /// A parser that makes something else of the values.
    ///
    /// ```swift
    /// let code = Parser<String, String>.trimmed.map { $0.uppercased() } print: { $0 }
    /// try code.parse("de ")   // "DE"
    /// ```
    ///
    /// - Parameters:
    ///   - make: Makes it; a value of which it makes nil "is invalid". What it throws is reported as by a
    ///     parser of a closure. Not called for nil.
    ///   - print: Makes the value again; without it the parser only reads.
    /// - Returns: The parser.
    public func map<Next>(
        _ make: @escaping @Sendable (_ output: Output) throws -> Next?,
        print: (@Sendable (_ made: Next) -> Output?)? = nil
    ) -> Parser<Input, Next> {
        then(Parser<Output, Next>("is invalid", make, print: print))
    }

    /// A parser of arrays that has this one parse every element; an issue has the index in its path.
    ///
    /// Elements that become nil are left out.
    public func each() -> Parser<[Input], [Output]> {
        var write: (@Sendable ([Output]) -> [Input]?)?
        if let one = self.write {
            write = { outputs in
                let inputs = outputs.compactMap(one)
                return inputs.count == outputs.count ? inputs : nil
            }
        }
        return Parser<[Input], [Output]>(write: write) { [read] inputs, issues in
            guard let inputs else { return nil }
            var outputs: [Output] = []
            for index in inputs.indices {
                let start = issues.count
                if let output = read(inputs[index], &issues) { outputs.append(output) }
                if issues.count > start { issues.nest(from: start, under: [.index(index)]) }
            }
            return outputs
        }
    }
}

extension Parser where Input: Blankable {
    /// The parser, for which blank text is no value: it becomes nil, without being parsed.
    public var orNil: Parser {
        Parser(write: write) { [read] input, issues in
            if let input, input.isBlank { return read(nil, &issues) }
            return read(input, &issues)
        }
    }
}

extension Parser {
    /// The parser with another message.
    ///
    /// Issues that say the same of the same place become one.
    public func message(_ message: String) -> Parser {
        let template = MessageTemplate(message)
        return rewriting { $0.say(template) }
    }

    /// The parser with another code.
    public func code(_ code: String) -> Parser {
        rewriting { $0.set(\.code, to: code) }
    }

    /// The parser, its issues changed if there are any.
    private func rewriting(_ change: @escaping @Sendable (inout [Issue]) -> Void) -> Parser {
        Parser(write: write) { [read] input, issues in
            let start = issues.count
            let output = read(input, &issues)
            issues.change(from: start, change)
            return output
        }
    }
}
