package import ModelKitFields

extension ArrayEdit where Element: AnyObject & Equatable {
    /// What is wrong with the edits that lead from one result to the next one; nil if nothing.
    ///
    /// - Parameters:
    ///   - edits: The edits.
    ///   - old: The elements before.
    ///   - new: Those after.
    ///   - most: How many edits an element may have that is in both; one that is in one of them may have one.
    /// - Returns: The problem.
    package static func problem(
        in edits: [ArrayEdit],
        from old: [Element],
        to new: [Element],
        most: Int
    ) -> String? {
        var left: [ObjectIdentifier: Int] = [:]
        for element in old + new { left[ObjectIdentifier(element)] = 1 }
        let before = Set(old.map { ObjectIdentifier($0) })
        for element in new where before.contains(ObjectIdentifier(element)) {
            left[ObjectIdentifier(element)] = most
        }
        for (index, edit) in edits.enumerated() {
            for element in edit.elements {
                guard let count = left[ObjectIdentifier(element)] else {
                    return "edit \(index) of \(edits.count) has what is in neither result"
                }
                if count == 0 { return "edit \(index) of \(edits.count) has what others have" }
                left[ObjectIdentifier(element)] = count - 1
            }
        }
        return nil
    }

    private var elements: [Element] {
        switch self {
        case .insert(let element, at: _), .remove(let element, at: _),
            .move(let element, from: _, to: _):
            [element]
        case .replace(let old, with: let new, at: _): [old, new]
        case .reset(let all): all
        }
    }
}
