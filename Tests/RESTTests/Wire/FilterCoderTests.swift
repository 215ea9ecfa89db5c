import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct FilterCoderTests {
    let snake = ValueTransformerContext(name: "api", keyCase: .snake)

    @Test func `random filters come out of their JSON as they went in`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        for context in [ValueTransformerContext.default, snake] {
            let coder = QueryCoder(in: context, types: [Parcel.schema, Depot.schema])
            for _ in 0..<500 {
                let filter = random.filter(depth: 4)
                let query = RecordQuery(
                    filter: filter,
                    order: random.order(),
                    limit: Bool.random(using: &random) ? 7 : nil
                )
                let parameters = try coder.parameters(of: query, of: Parcel.schema)
                guard let text = parameters["filter"] else {
                    Issue.record("no filter, seed \(seed)")
                    return
                }
                let read = try coder.filter(text, of: Parcel.schema)
                let order = try coder.order(parameters["sort"] ?? "", of: Parcel.schema)
                expect(order, equals: query.order, "seed \(seed)")
                // Bit by bit, and with the same number in the cursors of pages.
                let back = RecordQuery(filter: read, order: order)
                let record = random.parcel()
                expect(read.description(of: coder), equals: filter.description(of: coder))
                expect(
                    PageCursor(after: record, in: back, of: Parcel.schema).description,
                    equals: PageCursor(after: record, in: query, of: Parcel.schema).description,
                    "\(text), seed \(seed)"
                )
            }
        }
    }

    @Test func `equal queries have the same cursors, however their dictionaries lie in memory`() {
        let record = Record(identifier: 1, revision: 1, values: [:])
        let cursors = (2..<40).map { capacity in
            var values: AttributeDictionary = [:]
            values.reserveCapacity(capacity)
            for key in ["e\u{301}", "\u{e9}\0", "\u{e9}a"] { values[key] = true }
            let filter = RecordFilter.contains("sentAt", .dictionary(values))
            return PageCursor(after: record, in: RecordQuery(filter: filter), of: Parcel.schema)
        }
        expect(Set(cursors).count, equals: 1)
    }

    @Test func `a filter is written as it is documented`() throws {
        let filter = RecordFilter.and([
            .compare("pieceCount", .greaterOrEqual, 18),
            .not(.isNull(["homeAddress", "cityName"])),
            .has("sender", Depot.schema, .compare("depotNumber", .equal, 3)),
            .hasAny("pastDepots", Depot.schema, .isIn("depotNumber", [1, 2])),
            .has("firstName", Depot.schema, .isNull("streetName")), .or([]),
            .compare("sentAt", .less, .date(Date(timeIntervalSince1970: 1))),
            .isIn("weight", [2, .double(.nan)]),
        ])
        let json = try QueryCoder(in: snake, types: [Depot.schema])
            .json(of: filter, of: Parcel.schema)
        expect(
            String(decoding: try json.jsonData(), as: UTF8.self),
            equals:
                #"{"and":[{"ge":["piece_count",18]},{"not":{"null":[["home_address","city_name"]]}},"#
                + #"{"has":["sender",{"eq":["depot_number",3]}]},"#
                + #"{"any":["past_depots",{"in":["depot_number",[1,2]]}]},"#
                + #"{"has":["first_name",{"null":["street_name"]},"Depot"]},{"or":[]},"#
                + #"{"lt":["sent_at",{"$date":1000000}]},{"in":["weight",[2,null]]}]}"#
        )
    }

    @Test(arguments: [
        "", "x", "3", "[]", "{}", #"{"eq":3}"#, #"{"eq":[]}"#, #"{"eq":["firstName"]}"#,
        #"{"eq":["nothing",1]}"#, #"{"eq":[3,1]}"#, #"{"eq":[[],1]}"#, #"{"eq":[["a",3],1]}"#,
        #"{"no":["firstName",1]}"#, #"{"eq":["firstName",1],"ne":["firstName",1]}"#,
        #"{"null":["firstName",1]}"#, #"{"in":["firstName","x"]}"#, #"{"prefix":["firstName",3]}"#,
        #"{"and":3}"#, #"{"and":[3]}"#, #"{"not":[]}"#, #"{"has":["firstName",{"or":[]}]}"#,
        #"{"has":["sender",{"or":[]},"Nobody"]}"#, #"{"has":["sender"]}"#, #"{"eq":["firstName",1"#,
    ])
    func `what is no filter is refused with words`(text: String) {
        let coder = QueryCoder(in: .default)
        let failure = #expect(throws: WireFailure.self) {
            try coder.filter(text, of: Parcel.schema)
        }
        expect(failure?.place == "filter" && failure?.message.isEmpty == false)
    }

    @Test func `filters that are nested too deep are refused both ways`() throws {
        func deep(_ depth: Int) -> RecordFilter {
            (1..<depth).reduce(RecordFilter.isNull("firstName")) { filter, _ in .not(filter) }
        }
        let coder = QueryCoder(in: .default)
        let json = try coder.json(of: deep(200), of: Parcel.schema)
        try expect(coder.filter(json, of: Parcel.schema), equals: deep(200))
        #expect(throws: StoreError.self) { try coder.json(of: deep(201), of: Parcel.schema) }
        #expect(throws: WireFailure.self) { try coder.filter(["not": json], of: Parcel.schema) }
    }

    @Test func `what JSON cannot say is unsupported`() {
        let coder = QueryCoder(in: .default)
        for (filter, code) in [
            (RecordFilter.compare("weight", .equal, .double(.infinity)), "unsupported"),
            (.isNull("nothing"), "schema"),
        ] {
            let error = #expect(throws: StoreError.self) {
                _ = try coder.parameters(of: RecordQuery(filter: filter), of: Parcel.schema)
            }
            expect(error?.code, equals: code)
        }
        #expect(throws: StoreError.self) {
            let query = RecordQuery(order: [RecordQuery.Order("nothing")])
            _ = try coder.parameters(of: query, of: Parcel.schema)
        }
    }

    @Test func `any key can be sorted by`() throws {
        let coder = QueryCoder(in: .default)
        let query = RecordQuery(order: [
            RecordQuery.Order("-a.b,c\\d"), RecordQuery.Order("-a.b,c\\d", isDescending: true),
            RecordQuery.Order(["homeAddress", "cityName"], isDescending: true),
            RecordQuery.Order("weight"),
        ])
        let parameters = try coder.parameters(of: query, of: Parcel.schema)
        let text = #"\-a\.b\,c\\d,-\-a\.b\,c\\d,-homeAddress.cityName,weight"#
        expect(parameters, equals: QueryParameters([.init(name: "sort", value: text)]))
        try expect(coder.order(text, of: Parcel.schema), equals: query.order)
        try expect(coder.order("", of: Parcel.schema), equals: [])
        for wrong in [",", "weight,", "x", "weight\\", "--weight", "weight.x", "-"] {
            #expect(throws: WireFailure.self) { try coder.order(wrong, of: Parcel.schema) }
        }
    }
}

extension RecordFilter {
    /// The filter as JSON, by which texts differ that Swift takes for equal.
    fileprivate func description(of coder: QueryCoder) -> String {
        let json = try? coder.json(of: self, of: Parcel.schema).jsonData()
        return json.map { $0.base64EncodedString() } ?? "none"
    }
}

extension SplitMix {
    mutating func order() -> [RecordQuery.Order] {
        (0..<Int.random(in: 0...2, using: &self)).map { _ in
            let key = Parcel.schema.fields.randomElement(using: &self)?.key ?? "id"
            return RecordQuery.Order(key, isDescending: Bool.random(using: &self))
        }
    }

    mutating func filter(depth: Int) -> RecordFilter {
        let keys = Parcel.schema.fields.map(\.key)
        let key = keys.randomElement(using: &self) ?? "id"
        let comparisons: [RecordFilter.Comparison] = [
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
        ]
        switch Int.random(in: 0...(depth == 0 ? 6 : 11), using: &self) {
        case 0:
            return .compare(key, comparisons.randomElement(using: &self) ?? .equal, value())
        case 1: return .isNull(key)
        case 2: return .isIn(key, [value(), value()])
        case 3: return .contains(key, value())
        case 4: return .hasPrefix(key, wireText())
        case 5: return .hasSuffix(key, wireText())
        case 6: return .hasSubstring(key, wireText())
        case 7: return .has("sender", Depot.schema, .compare("streetName", .equal, value()))
        case 8: return .hasAny("pastDepots", Depot.schema, .isNull("streetName"))
        case 9: return .and([filter(depth: depth - 1), filter(depth: depth - 1)])
        case 10: return .or([filter(depth: depth - 1)])
        default: return .not(filter(depth: depth - 1))
        }
    }
}
