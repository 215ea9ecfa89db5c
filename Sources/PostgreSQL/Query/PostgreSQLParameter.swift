import ModelKitModels
import ModelKitSQL
import ModelKitStores

/// What a parameter of a query is bound to.
struct PostgreSQLParameter: Sendable {
    let type: PostgreSQLType
    /// The value in the binary format, or why there is none.
    private let bytes: Result<[UInt8], ValueRefusal>

    init(
        _ type: PostgreSQLType,
        _ write: (inout [UInt8]) throws(ValueRefusal) -> Void
    ) {
        self.type = type
        var bytes: [UInt8] = []
        do throws(ValueRefusal) {
            try write(&bytes)
            self.bytes = .success(bytes)
        } catch {
            self.bytes = .failure(error)
        }
    }

    init(_ value: AttributeValue, as kind: AttributeKind) {
        self.init(kind.postgreSQLType) { bytes throws(ValueRefusal) in
            try kind.write(value, to: &bytes)
        }
    }

    static func int(_ number: Int) -> Self { Self(.int(Int64(number)), as: .int) }
    static func text(_ text: String) -> Self { Self(.string(text), as: .string) }

    /// Several of the same kind as an array.
    init(list: [PostgreSQLParameter], as kind: AttributeKind) {
        self.init(kind.postgreSQLArray) { bytes throws(ValueRefusal) in
            let elements = try list.map { element throws(ValueRefusal) in
                try element.bytes.get()
            }
            bytes.append(arrayOf: kind.postgreSQLType, count: list.count) { index, bytes in
                bytes.append(contentsOf: elements[index])
                return true
            }
        }
    }

    /// Whether it can be bound.
    var isValid: Bool { if case .success = bytes { true } else { false } }

    /// Binds it to the next parameter of a statement.
    ///
    /// - Throws: `.unsupported` for a value that cannot be in a column, which only a cursor has.
    func append(to parameters: inout PostgreSQLParameters) throws(StoreError) {
        switch bytes {
        case .success(let bytes): parameters.append(type) { $0.append(contentsOf: bytes) }
        case .failure(let refusal):
            throw .unsupported(
                "the cursor belongs to a page of another store: a value in it \(refusal.reason)"
            )
        }
    }
}
