/// Reads a regular expression and writes its program as it goes.
///
/// It has a list of open groups instead of calling itself, so that no nesting is too deep for it.
struct PatternParser {
    /// A group that is not closed yet; the first is the whole expression.
    private struct Group {
        var offset = 0

        /// Its first step.
        var start = 0

        /// The first step of its last alternative.
        var alternative = 0

        /// The steps that end its other alternatives.
        var jumps: [Int] = []
    }

    let source: String
    let scalars: [Unicode.Scalar]
    /// Whether a hyphen beside `\w` in a class is itself, as ICU has it, instead of an error.
    let takesHyphens: Bool
    var position = 0
    var program = PatternProgram()
    private var groups = [Group()]

    init(_ source: String, takesHyphens: Bool = false) {
        self.source = source
        self.takesHyphens = takesHyphens
        scalars = Array(source.unicodeScalars)
    }

    mutating func parse() throws(PatternError) -> PatternProgram {
        while let scalar = next {
            let offset = position
            var start = program.steps.count
            position += 1
            switch scalar {
            case "(":
                try openGroup(at: offset)
                continue
            case ")":
                guard groups.count > 1 else { throw error(.unopenedGroup, at: offset) }
                start = endGroup()
            case "|":
                try endAlternative()
                continue
            case "^":
                try emit(.start)
                continue
            case "$":
                try emit(.end)
                continue
            case ".": try emit(.anyInLine)
            case "[": try emit(scalarClass(at: offset))
            case "\\": if try !parseEscape(at: offset) { continue }
            case "*", "+", "?": throw error(.nothingToRepeat, at: offset)
            case "{", "}", "]": throw error(.unescaped, at: offset)
            default: try emit(.scalar(scalar.value))
            }
            try parseRepetition(from: start)
        }
        guard groups.count == 1 else {
            throw error(.unclosedGroup, at: groups[groups.count - 1].offset)
        }
        endGroup()
        try emit(.found)
        return program
    }
}

// MARK: Groups

extension PatternParser {
    private mutating func openGroup(at offset: Int) throws(PatternError) {
        if skip("?") { try skipGroupKind(at: offset) }
        let start = program.steps.count
        groups.append(Group(offset: offset, start: start, alternative: start))
    }

    /// Reads what stands between `(?` and the inside of the group.
    private mutating func skipGroupKind(at offset: Int) throws(PatternError) {
        if skip(":") { return }
        if next == "=" || next == "!" { throw error(.lookAround, at: offset) }
        if skip("<") {
            if next == "=" || next == "!" { throw error(.lookAround, at: offset) }
            let start = position
            while let next, next.properties.isIDContinue || next == "$" { position += 1 }
            if position > start, !("0"..."9" ~= scalars[start]), skip(">") { return }
        }
        if let next, "a"..."z" ~= next || next == "-" { throw error(.flags, at: offset) }
        throw error(.unknownGroup, at: offset)
    }

    /// Returns the first step of the group.
    @discardableResult
    private mutating func endGroup() -> Int {
        let group = groups.removeLast()
        let end = program.steps.count
        for jump in group.jumps { program.steps[jump] = .jump(Int32(end - jump)) }
        return group.start
    }

    /// Puts a split before the last alternative, and a jump over all further ones after it.
    private mutating func endAlternative() throws(PatternError) {
        let group = groups.count - 1
        let start = groups[group].alternative
        try emit(.split(Int32(program.steps.count - start + 2)), at: start)
        groups[group].jumps.append(program.steps.count)
        try emit(.jump(0))
        groups[group].alternative = program.steps.count
    }
}

// MARK: Reading and writing

extension PatternParser {
    /// The next scalar, which stays unread.
    var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    /// Whether the next scalar is this one, which is then read.
    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    mutating func emit(_ step: PatternProgram.Step) throws(PatternError) {
        try emit(step, at: program.steps.count)
    }

    mutating func emit(_ step: PatternProgram.Step, at index: Int) throws(PatternError) {
        guard program.steps.count < PatternProgram.limit else {
            throw error(.tooLarge, at: position - 1)
        }
        program.steps.insert(step, at: index)
    }

    mutating func emit(_ set: ScalarSet) throws(PatternError) {
        try emit(.set(Int32(program.add(set))))
    }

    func error(_ reason: PatternError.Reason, at offset: Int) -> PatternError {
        PatternError(pattern: source, offset: offset, reason: reason)
    }
}
