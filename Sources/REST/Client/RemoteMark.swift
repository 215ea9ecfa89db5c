import ModelKitModels
import ModelKitStores

/// Where a list of a server goes on: what the next part is asked for by, and how much of it has come.
struct RemoteMark: Sendable {
    /// The target of the request, where the server has named it; nil for that of the first part.
    private(set) var target: String?
    private(set) var parameters: [QueryParameters.Parameter]
    /// How many models the parts before have.
    let before: Int
    /// How many parts there are before.
    let number: Int
    /// How many models of the part belong to the page before.
    let dropped: Int

    init(_ request: RemoteRequest, before: Int, number: Int, dropped: Int = 0) {
        target = request.isFromRoot ? request.path : nil
        parameters = request.parameters
        (self.before, self.number, self.dropped) = (before, number, dropped)
    }

    /// The cursor of it, which does not have the parameters that the query says by itself.
    func cursor(
        in query: RecordQuery,
        of schema: ModelSchema,
        without own: [QueryParameters.Parameter]
    ) -> PageCursor {
        let others = target == nil ? parameters.filter { !own.contains($0) } : parameters
        return PageCursor(
            mark: [
                target.map { .string($0) } ?? .null,
                .array(others.map { [.string($0.name), .string($0.value)] }),
                .int(Int64(dropped)), .int(Int64(number)),
            ],
            after: Int64(before),
            in: query,
            of: schema
        )
    }

    /// The mark of a cursor, which may come from anybody.
    ///
    /// - Parameters:
    ///   - cursor: The cursor.
    ///   - origin: Where the server is.
    /// - Throws: `.unsupported` for a cursor of another store, and for one that leads to another server.
    init(_ cursor: PageCursor, at origin: String) throws(StoreError) {
        let refusal = StoreError.unsupported("the cursor is none that this server has given")
        guard cursor.values.count == 4, case .array(let pairs) = cursor.values[1],
            case .int(let dropped) = cursor.values[2], case .int(let number) = cursor.values[3],
            let dropped = Int(exactly: dropped), let number = Int(exactly: number),
            let before = Int(exactly: cursor.place),
            // There is room for what is added to them.
            [dropped, number, before].allSatisfy({ 0..<Int(Int32.max) ~= $0 })
        else { throw refusal }
        switch cursor.values[0] {
        case .null: break
        case .string(let text):
            guard text.hasPrefix("/"),
                let place = URLReference(text)?.resolved(against: origin, "/"),
                HTTPOrigin.areEqual(place.origin, origin)
            else { throw refusal }
            target = place.target
        default: throw refusal
        }
        var parameters: [QueryParameters.Parameter] = []
        for pair in pairs {
            guard case .array(let parts) = pair, parts.count == 2,
                case .string(let name) = parts[0],
                case .string(let value) = parts[1]
            else { throw refusal }
            parameters.append(QueryParameters.Parameter(name: name, value: value))
        }
        self.parameters = parameters
        (self.before, self.number, self.dropped) = (before, number, dropped)
    }
}
