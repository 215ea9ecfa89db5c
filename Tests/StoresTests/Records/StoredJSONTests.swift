import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@Suite struct StoredJSONTests {
    @Test(
        arguments: [
            "[]", "[1,2,3]", "[-7,0]", "[\"a\",\"b c\"]", "[\"\"]", "[\"é\",\"日本\"]", "[1,\"1\"]",
            "[999999999999999999]", "[1000000000000000000]", "[9223372036854775807]",
            "[9223372036854775808]", "[-9223372036854775808]", "[1.5]", "[1e3]", "[-0]", "[01]",
            "[-]", "[1,]", "[,1]", "[1 ]", "[ 1]", "[1][", "[", "]", "[\"]", "[\"a]", "[\"a\"b]",
            "[\"a\\n\"]", "[\"a\u{1}\"]", "[\"a\\u0000\"]", "[null]", "[true]", "[[1]]", "[{}]",
            "[\"$string\"]", "{\"a\":1}", "1", "", "[1,2", "1,2]", "[\"a\",]", "[1\"a\"]",
        ]
    )
    func `an array is read as by the reader of JSON`(_ text: String) {
        let read = Result { try StoredJSON.value(of: text) }
        let expected = Result { try AttributeValue(json: Data(text.utf8)) }
        switch (read, expected) {
        case (.success(let value), .success(let other)): expect(value, equals: other)
        case (.failure(let error), .failure(let other)): expect("\(error)", equals: "\(other)")
        default: Issue.record("\(read) is not \(expected)")
        }
    }

    @Test func `any array of integers and texts comes back`() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let elements = (0..<Int.random(in: 0...5)).map { _ -> AttributeValue in
                if Bool.random() { return .int(Int64(truncatingIfNeeded: random.next() as UInt64)) }
                let scalars = (0..<Int.random(in: 0...4)).compactMap { _ in
                    Unicode.Scalar(UInt32.random(in: 0...0x2FF))
                }
                return .string(String(String.UnicodeScalarView(scalars)))
            }
            let value = AttributeValue.array(elements)
            let text = try StoredJSON.text(of: value)
            try expect(StoredJSON.value(of: text), equals: value, "\(text)")
        }
    }

    private final class Whole: Model {
        let id = Field<String>()
        let piece = ModelField<Piece>()
        let pieces = ModelField<Piece>()*
    }

    private final class Piece: Model {
        let text = Field<String>()
        let number = Field<Double>()
        let born = Field<Date>()
        let bytes = Field<Data>()
        let any = Field<AttributeValue>()
        let first = Field<Int>(key: ["name", "first"])
        let inner = ModelField<Piece>()
        let key = ModelField<Whole>(foreignKey: true)
        let price = ModelField<Price>()
        let album = ModelField<Album>()
    }

    private final class Album: Model {
        let id = Field<String>()
        let songs = ModelField<Song>(inverse: \.album)*

        init() { linkFields() }
    }

    private final class Song: Model {
        let id = Field<String>()
        let album = ModelField<Album>(foreignKey: true)

        init() { linkFields() }
    }

    private final class Price: Model {
        let amount = Field<Int>(key: "$amount")
    }

    /// A piece with others inside of each other.
    private static func nest(_ piece: Piece, _ count: Int) {
        var piece = piece
        for _ in 0..<count {
            let inner = Piece()
            piece.inner.value = inner
            piece = inner
        }
    }

    /// How many fields are written at once, and what is in the models.
    private static let pieces: [(name: String, written: Int, change: @Sendable (Piece) -> Void)] = [
        ("nothing", 2, { _ in }),
        ("null", 2, { $0.text.value = nil }),
        ("text", 2, { $0.text.value = "a \"b\" \\ \n ü 日本 \u{1}" }),
        ("U+0000", 0, { $0.text.value = "a\u{0}b" }),
        ("a zero with a sign", 2, { $0.number.value = -0.0 }),
        ("no number", 0, { $0.number.value = .nan }),
        ("a date", 2, { $0.born.value = Date(timeIntervalSince1970: -1.25) }),
        ("a distant date", 2, { $0.born.value = .distantFuture }),
        ("data", 2, { $0.bytes.value = Data([0, 255, 7]) }),
        ("no data", 2, { $0.bytes.value = Data() }),
        (
            "values", 2,
            { $0.any.value = [["b": [1, 2.0], "a": .date(.distantPast)], .data(Data([1]))] }
        ),
        ("a dollar", 0, { $0.any.value = ["a": ["$date": 7]] }),
        ("a nested key", 2, { $0.first.value = .min }),
        ("a foreign key", 2, { $0.key.value = owner("w") }),
        ("a foreign key of none", 2, { $0.key.value = Whole() }),
        ("a key with a dollar", 0, { $0.price.value = Price() }),
        (
            "the other side of a key", 2,
            {
                $0.album.value = Album()
                $0.album.value?.songs.value = [Song()]
            }
        ),
        ("one inside of itself", 2, { $0.inner.value = $0 }),
        ("14 inside", 2, { nest($0, 14) }),
        ("15 inside", 1, { nest($0, 15) }),
        ("40 inside", 0, { nest($0, 40) }),
    ]

    private static func owner(_ identifier: String) -> Whole {
        let owner = Whole()
        owner.id.value = identifier
        return owner
    }

    private func written(_ whole: Whole, _ name: String) throws -> Int {
        var count = 0
        for entry in Whole.schema.fields {
            guard let text = entry.exactJSON(in: whole) else { continue }
            var traversal = Traversal()
            let value = entry.field(in: whole).attributeValue(in: &traversal)
            try expect(text, equals: StoredJSON.text(of: #require(value)), name)
            count += 1
        }
        return count
    }

    @Test func `models are written at once as their attribute values are`() throws {
        for (name, expected, change) in Self.pieces {
            let (whole, piece) = (Self.owner("w"), Piece())
            change(piece)
            whole.piece.value = piece
            whole.pieces.value = [Piece(), piece]
            try expect(written(whole, name), equals: expected, name)
            // It would hold itself for ever.
            piece.inner.value = nil
        }
        let whole = Whole()
        try expect(written(whole, "unset"), equals: 1)
        (whole.piece.value, whole.pieces.value) = (nil, [])
        try expect(written(whole, "nil and none"), equals: 1)
        whole.pieces.value = nil
        try expect(written(whole, "nil"), equals: 0)
    }
}
