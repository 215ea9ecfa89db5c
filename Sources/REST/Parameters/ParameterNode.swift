import ModelKitFields

/// What is said of a name of parameters.
struct ParameterNode {
    private var values: [AttributeValue] = []
    private(set) var inner: [String: ParameterNode] = [:]

    /// The depth of the names is limited by whoever calls.
    mutating func insert(_ value: AttributeValue, at names: ArraySlice<String>) {
        if let name = names.first {
            inner[name, default: ParameterNode()].insert(value, at: names.dropFirst())
        } else {
            values.append(value)
        }
    }

    /// The value of the name, with all that is inside of it.
    func value(
        _ arrays: ParameterArrays,
        named name: String
    ) throws(ParameterError) -> AttributeValue {
        if inner.isEmpty {
            if values.count == 1 { return values[0] }
            if arrays == .repeated { return .array(values) }
            throw ParameterError(.ambiguous, name: name)
        }
        guard values.isEmpty else { throw ParameterError(.ambiguous, name: name) }
        if arrays == .bracketed, let elements = inner[""] {
            guard inner.count == 1 else { throw ParameterError(.ambiguous, name: name) }
            return .array(elements.values)
        }
        if arrays == .indexed, let elements = elements {
            var values: [AttributeValue] = []
            for (index, element) in elements.enumerated() {
                values.append(try element.value(arrays, named: "\(name)[\(index)]"))
            }
            return .array(values)
        }
        var dictionary: AttributeDictionary = [:]
        for (key, node) in inner {
            dictionary[key] = try node.value(arrays, named: "\(name)[\(key)]")
        }
        return .dictionary(dictionary)
    }

    /// What is inside, if the names are the numbers from 0 on.
    private var elements: [ParameterNode]? {
        var elements: [ParameterNode] = []
        for index in 0..<inner.count {
            guard let element = inner[String(index)] else { return nil }
            elements.append(element)
        }
        return elements
    }
}
