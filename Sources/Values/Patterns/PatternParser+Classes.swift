extension PatternParser {
    /// Reads a class after the bracket that opens it, which is at an offset.
    mutating func scalarClass(at offset: Int) throws(PatternError) -> ScalarSet {
        let isNegated = skip("^")
        var members: [ScalarSet] = []
        var count = 0
        var limit = 4096
        while !skip("]") {
            // A few bytes of a pattern may stand for a thousand ranges, again and again.
            count += members.last?.rangeCount ?? 0
            if count > limit {
                members = [ScalarSet(union: members)]
                count = members[0].rangeCount
                limit = max(4096, 2 * count)
            }
            let first = position
            let low = try classMember(at: offset)
            guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
                members.append(low.set)
                continue
            }
            position += 1
            let last = position
            let high = try classMember(at: offset)
            if takesHyphens, low.isSet || high.isSet {
                members += [low.set, ScalarSet([0x2D...0x2D]), high.set]
                continue
            }
            guard case .scalar(let low) = low else { throw error(.rangeOfClass, at: first) }
            guard case .scalar(let high) = high else { throw error(.rangeOfClass, at: last) }
            guard low <= high else { throw error(.reversedRange, at: first) }
            members.append(ScalarSet([low...high]))
        }
        let union = ScalarSet(union: members)
        return isNegated ? union.complement : union
    }

    private enum ClassMember {
        case scalar(UInt32)
        case set(ScalarSet)

        var isSet: Bool { if case .set = self { true } else { false } }

        var set: ScalarSet {
            switch self {
            case .scalar(let scalar): ScalarSet([scalar...scalar])
            case .set(let set): set
            }
        }
    }

    private mutating func classMember(at offset: Int) throws(PatternError) -> ClassMember {
        guard let scalar = next else { throw error(.unclosedClass, at: offset) }
        let start = position
        position += 1
        guard scalar == "\\" else { return .scalar(scalar.value) }
        if let set = try escapedSet(at: start) { return .set(set) }
        // Inside a class it is the backspace.
        if skip("b") { return .scalar(0x08) }
        return .scalar(try escapedScalar(at: start))
    }
}
