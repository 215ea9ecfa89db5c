extension PatternParser {
    /// Reads how often the steps from an index on are repeated, if that comes next.
    ///
    /// Lazy or not makes no difference to whether a pattern is found.
    mutating func parseRepetition(from start: Int) throws(PatternError) {
        switch next {
        case "*": try repeatSteps(from: start, min: 0, max: nil)
        case "+": try repeatSteps(from: start, min: 1, max: nil)
        case "?": try repeatSteps(from: start, min: 0, max: 1)
        case "{":
            let (min, max) = try parseCounts()
            try repeatSteps(from: start, min: min, max: max)
        default: return
        }
        _ = skip("?")
    }

    /// Reads `{n}`, `{n,}` or `{n,m}` up to the brace that closes it.
    private mutating func parseCounts() throws(PatternError) -> (min: Int, max: Int?) {
        let offset = position
        position += 1
        guard let min = try parseCount() else { throw error(.unescaped, at: offset) }
        var max: Int? = min
        if skip(",") { max = try parseCount() }
        guard next == "}" else { throw error(.unescaped, at: offset) }
        if let max, max < min { throw error(.reversedRange, at: offset) }
        return (min, max)
    }

    private mutating func parseCount() throws(PatternError) -> Int? {
        let start = position
        var count = 0
        while let next, "0"..."9" ~= next {
            count = count * 10 + Int(next.value - 0x30)
            if count > PatternProgram.limit { throw error(.tooLarge, at: start) }
            position += 1
        }
        return position > start ? count : nil
    }

    /// Writes the steps from an index on as often as they are repeated.
    private mutating func repeatSteps(from start: Int, min: Int, max: Int?) throws(PatternError) {
        // What stands here is the last scalar of the repetition.
        position += 1
        let body = Array(program.steps[start...])
        if body.isEmpty { return }
        program.steps.removeSubrange(start...)
        for _ in 0..<min { try emit(body) }
        guard let max else {
            if min > 0 { return try emit(.split(Int32(-body.count))) }
            try emit(.split(Int32(body.count + 2)))
            try emit(body)
            return try emit(.jump(Int32(-body.count - 1)))
        }
        for remaining in stride(from: max - min, to: 0, by: -1) {
            try emit(.split(Int32(remaining * (body.count + 1))))
            try emit(body)
        }
    }

    private mutating func emit(_ body: [PatternProgram.Step]) throws(PatternError) {
        for step in body { try emit(step) }
    }
}
