import ModelKitFields
import ModelKitModels

/// What is around models and lists of them.
///
/// ```swift
/// RESTEnvelope.key("data")                          // {"data": {"id": 1}}, {"data": [{"id": 1}]}
/// RESTEnvelope.list("results")                      // {"id": 1}, {"results": [{"id": 1}]}
/// RESTEnvelope.typeName                             // {"person": {"id": 1}}, {"people": [{"id": 1}]}
/// RESTEnvelope(list: [.name("page"), .name("rows")])  // {"page": {"rows": [{"id": 1}]}}
/// ```
///
/// A list that comes without what should be around it is taken as it is; null in its place has no models.
public struct RESTEnvelope: Hashable, Sendable {
    /// A member that has what is asked for.
    ///
    /// ```swift
    /// let path: [RESTEnvelope.Member] = [.name("data"), .typeNames]
    /// ```
    public enum Member: Hashable, Sendable {
        case name(String)
        /// The name of the model's type, as keys are written.
        case typeName
        /// Its plural.
        case typeNames
    }

    /// Where a list is; empty for the answer itself.
    let list: [Member]
    /// Where a model is.
    let model: [Member]
    /// Where a model is in what is sent.
    let payload: [Member]
    /// Whether an object without the member of the list, with status 200, has no models.
    ///
    /// So Spring answers with HATEOAS, and Go with `omitempty`. Else it is an error, as it may be something else
    /// than a list.
    public var absentListIsEmpty = false

    public init(list: [Member] = [], model: [Member] = [], payload: [Member] = []) {
        self.list = list
        self.model = model
        self.payload = payload
    }

    /// Nothing.
    public static let bare = RESTEnvelope()

    /// A member around lists.
    public static func list(_ name: String) -> RESTEnvelope { RESTEnvelope(list: [.name(name)]) }

    /// A member around lists and models.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - wrapsPayload: Whether it is around what is sent, too.
    /// - Returns: The envelope.
    public static func key(_ name: String, wrapsPayload: Bool = false) -> RESTEnvelope {
        RESTEnvelope(
            list: [.name(name)],
            model: [.name(name)],
            payload: wrapsPayload ? [.name(name)] : []
        )
    }

    /// A member with the name of the type, or its plural for lists; also in what is sent.
    public static let typeName = RESTEnvelope(
        list: [.typeNames],
        model: [.typeName],
        payload: [.typeName]
    )

    /// What a payload is sent in.
    func wrap(
        _ payload: AttributeDictionary,
        _ schema: ModelSchema,
        _ context: ValueTransformerContext
    ) -> AttributeDictionary {
        self.payload.reversed().reduce(payload) { inner, member in
            [member.key(schema, context): .dictionary(inner)]
        }
    }

    /// The list of an answer; nil where there is none.
    func items(
        of value: AttributeValue,
        _ schema: ModelSchema,
        _ context: ValueTransformerContext,
        status: Int
    ) -> [AttributeValue]? {
        let isWhole = if case .array = value { true } else { value.isNull }
        let path = list.map { $0.key(schema, context) }
        switch isWhole ? value : value.member(at: path) {
        case .array(let items): return items
        // So some servers write a list without models.
        case .null: return []
        case nil where absentListIsEmpty && status == 200 && value.lacks(path): return []
        default: return nil
        }
    }

    /// The model of an answer; nil where there is none.
    func object(
        of value: AttributeValue,
        _ schema: ModelSchema,
        _ context: ValueTransformerContext
    ) -> AttributeDictionary? {
        let path = model.map { $0.key(schema, context) }
        return if case .dictionary(let object)? = value.member(at: path) { object } else { nil }
    }
}

extension RESTEnvelope.Member {
    func key(_ schema: ModelSchema, _ context: ValueTransformerContext) -> String {
        let keyCase = context.keyCase ?? .lowerCamel
        switch self {
        case .name(let name): return name
        case .typeName: return keyCase.key(for: schema.name)
        case .typeNames: return keyCase.plural(of: schema.name)
        }
    }
}

extension AttributeValue {
    /// Whether a dictionary on a path does not have the next one, or null in its place.
    fileprivate func lacks(_ path: [String]) -> Bool {
        var value = self
        for name in path {
            guard case .dictionary(let members) = value else { return value.isNull }
            guard let next = members[name] else { return true }
            value = next
        }
        return false
    }
}
