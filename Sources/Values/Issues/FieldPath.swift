/// Where in a model a value stands: keys and array indexes, outermost first.
///
/// ```swift
/// let path: FieldPath = ["terms", 2, "start"]
/// path.description   // "terms[2].start"
/// path.jsonPointer   // "/terms/2/start"
/// ```
public struct FieldPath: Hashable, Sendable {
    /// One step of a path: into a key, or into an element of an array.
    ///
    /// ```swift
    /// let path = FieldPath([.key("terms"), .index(2)])
    /// ```
    public enum Component: Hashable, Sendable {
        case key(String)
        case index(Int)
    }

    /// The steps, outermost first; none for the model itself.
    public var components: [Component]

    public init(_ components: [Component] = []) {
        self.components = components
    }

    /// The path of a single key, which is taken whole: a dot in it separates nothing.
    public init(key: String) {
        self.components = [.key(key)]
    }

    /// Whether it is the path of the model itself.
    public var isEmpty: Bool { components.isEmpty }

    /// This path with one more key.
    public func appending(key: String) -> FieldPath {
        FieldPath(components + [.key(key)])
    }

    /// This path with one more array index.
    public func appending(index: Int) -> FieldPath {
        FieldPath(components + [.index(index)])
    }

    /// This path followed by another.
    public func appending(_ path: FieldPath) -> FieldPath {
        FieldPath(components + path.components)
    }

    /// The path as a JSON Pointer (RFC 6901), `/` and `~` in keys escaped.
    public var jsonPointer: String {
        components.reduce(into: "") { result, component in
            switch component {
            case .key(let key):
                result += "/"
                for scalar in key.unicodeScalars {
                    switch scalar {
                    case "~": result += "~0"
                    case "/": result += "~1"
                    default: result.unicodeScalars.append(scalar)
                    }
                }
            case .index(let index): result += "/\(index)"
            }
        }
    }
}

extension FieldPath: CustomStringConvertible {
    /// Keys joined by dots, indexes in brackets: `terms[2].start`.
    public var description: String {
        components.reduce(into: "") { result, component in
            switch component {
            case .key(let key): result += result.isEmpty ? key : "." + key
            case .index(let index): result += "[\(index)]"
            }
        }
    }
}

extension FieldPath: ExpressibleByArrayLiteral {
    public init(arrayLiteral components: Component...) {
        self.init(components)
    }
}

extension FieldPath.Component: ExpressibleByStringLiteral {
    public init(stringLiteral key: String) {
        self = .key(key)
    }
}

extension FieldPath.Component: ExpressibleByIntegerLiteral {
    public init(integerLiteral index: Int) {
        self = .index(index)
    }
}
