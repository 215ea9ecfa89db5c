extension AsyncRule {
    /// The rule with another message; of a value that could not be checked it says so still.
    ///
    /// `{name}` is what the issue has as its parameter of that name; `{{` is a brace.
    public func message(_ message: String) -> AsyncRule {
        let template = MessageTemplate(message)
        return changing { answer in
            for index in answer.found.indices { answer.found[index].say(template) }
        }
    }

    /// The rule with another code; that of a value that could not be checked stays.
    public func code(_ code: String) -> AsyncRule {
        changing { $0.found.set(\.code, to: code) }
    }

    /// The rule, all its issues with one severity, also that it could not be asked.
    ///
    /// Below `.error` it blocks nothing.
    public func severity(_ severity: Issue.Severity) -> AsyncRule {
        changing { answer in
            answer.found.set(\.severity, to: severity)
            answer.unavailable.set(\.severity, to: severity)
        }
    }

    /// The rule, asked only about values that meet a condition; all others pass.
    public func when(_ condition: @escaping @Sendable (_ value: Value?) -> Bool) -> AsyncRule {
        let decide = decide
        return rewriting({ condition($0) ? decide($0) : Answer() }, ask)
    }

    /// A rule that asks this one about every element of an array, which stands at its index.
    ///
    /// So many are asked at once; the debounce is that of the whole array. A missing array passes.
    ///
    /// ```swift
    /// let users = Field<[String]>().require(exists.each())
    /// await users.validated()   // .invalid(["[1] does not exist"])
    /// ```
    public func each(atOnce width: Int = 8) -> AsyncRule<[Value]> {
        let (decide, ask) = (decide, ask)
        return rewriting(
            { values in
                let decided = (values ?? []).map(decide)
                let known = decided.compactMap { $0 }
                return known.count == decided.count ? Answer(ofEach: known) : nil
            },
            { values in
                let values = values ?? []
                var answers = values.map(decide)
                await withTaskGroup(of: (Int, Answer).self) { group in
                    var running = 0
                    for index in values.indices where answers[index] == nil {
                        if running >= width, let (index, answer) = await group.next() {
                            answers[index] = answer
                        }
                        if Task.isCancelled { break }
                        running += 1
                        group.addTask { (index, await ask(values[index])) }
                    }
                    for await (index, answer) in group { answers[index] = answer }
                }
                return Answer(ofEach: answers.map { $0 ?? Answer() })
            }
        )
    }

    /// The rule, its answers changed.
    private func changing(_ change: @escaping @Sendable (inout Answer) -> Void) -> AsyncRule {
        @Sendable func changed(_ answer: Answer) -> Answer {
            var answer = answer
            change(&answer)
            return answer
        }
        let (decide, ask) = (decide, ask)
        return rewriting({ decide($0).map(changed) }, { changed(await ask($0)) })
    }
}

extension Answer {
    /// What is said of the elements of an array.
    fileprivate init(ofEach answers: [Answer]) {
        for (index, answer) in answers.enumerated() {
            found += answer.found.map { $0.prefixed(by: [.index(index)]) }
            unavailable += answer.unavailable.map { $0.prefixed(by: [.index(index)]) }
        }
    }
}
