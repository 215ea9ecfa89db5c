import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

private struct Percent: AttributeConvertible, Equatable {
    var value: Double
    init(_ value: Double) { self.value = value }
    init(attributeValue: AttributeValue) throws(ModelKitFields.Issue) {
        value = try Double(attributeValue: attributeValue) * 100
    }
    var attributeValue: AttributeValue { .double(value / 100) }
    static var attributeKind: AttributeKind { .double }
}

private struct Money: Codable, Equatable, Sendable {
    var amount: Int
    var currency: String
    var at: Date
}

private enum Level: Int, AttributeConvertible, CaseIterable { case low = 1, high }
private enum Paint: String, CaseIterable { case red, blue }

private struct Flags: OptionSet, AttributeConvertible {
    let rawValue: Int
}

private let api: ValueTransformerContext = {
    var api = ValueTransformerContext(name: "api", keyCase: .kebab)
    api.transform(Date.self, with: .epochMilliseconds)
    api.transform(Int.self, with: .text)
    api.transform(Decimal.self, with: .number)
    return api
}()

private final class Everything: Model {
    let plainDate = Field<Date>()
    let dateText = Field<Date>().transform(with: .rfc3339)
    let epochDate = Field<Date>().transform(with: .epochSeconds)
    let contextDate = Field<Date>().transform(with: .rfc3339, in: api)
    let dates = Field<Date>()*
    let epochDates = Field<Date>().transform(with: .epochSeconds)*
    let datesByName = Field<[String: Date]>()
    let stringEnum = Field<Color>()
    let intEnum = Field<Level>()
    let enumField = EnumField<Paint>()
    let enums = EnumField<Paint>()*
    let options = Field<Flags>()
    let url = Field<URL>()
    let data = Field<Data>()
    let allData = Field<[Data]>()
    let uuid = Field<UUID>()
    let decimal = Field<Decimal>()
    let numberDecimal = Field<Decimal>().transform(with: .number)
    let decimals = Field<Decimal>()*
    let integer = Field<Int>()
    let integerText = Field<Int>().transform(with: .text)
    let wide = Field<UInt64>()
    let float = Field<Float>()
    let double = Field<Double>()
    let bool = Field<Bool>()
    let boolText = Field<Bool>().transform(with: .text)
    let string = Field<String>()
    let strings = Field<[String]>()
    let matrix = Field<[[Int]]>()
    let percent = Field<Percent>()
    let percents = Field<Percent>()*
    let money = Field<Money>().transform(with: .codable)
    let any = Field<AttributeValue>()
    let model = ModelField<Everything>()
    let models = ModelField<Everything>()*
    let key = ModelField<Keyed>(foreignKey: true)
    let keys = ModelField<Keyed>(foreignKey: true)*

    static func sample() -> Everything {
        let all = Everything()
        let date = Date(timeIntervalSince1970: 1_234_567.25)
        all.plainDate.value = date
        all.dateText.value = date
        all.epochDate.value = date
        all.contextDate.value = date
        all.dates.value = [date, Date(timeIntervalSince1970: -1)]
        all.epochDates.value = [date]
        all.datesByName.value = ["then": date]
        all.stringEnum.value = .red
        all.intEnum.value = .high
        all.enumField.value = .blue
        all.enums.value = [.blue, .red]
        all.options.value = Flags(rawValue: 5)
        all.url.value = URL(string: "https://example.org/%C3%A9?q=1#f")
        all.data.value = Data([0, 255, 10])
        all.allData.value = [Data(), Data([1])]
        all.uuid.value = UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF")
        all.decimal.value = Decimal(string: "0.12345678901234567890")
        all.numberDecimal.value = Decimal(string: "12.5")
        all.decimals.value = [1, -2].map { Decimal($0) }
        all.integer.value = .min
        all.integerText.value = 42
        all.wide.value = .max
        all.float.value = 0.1
        all.double.value = 1e-300
        all.bool.value = false
        all.boolText.value = true
        all.string.value = "é\u{0}\"\\"
        all.strings.value = ["", "a"]
        all.matrix.value = [[1], [], [2, 3]]
        all.percent.value = Percent(50)
        all.percents.value = [Percent(25), Percent(75)]
        all.money.value = Money(amount: 5, currency: "EUR", at: date)
        all.any.value = ["a": [1, nil, true]]
        all.key.value = Keyed("k1")
        all.keys.value = [Keyed("k2"), Keyed("k3")]
        return all
    }

    /// What each field has that is no model.
    var values: [String] {
        var values: [String] = []
        visitAllFields(recursive: false) { field in
            guard !(field.anyValue is any Model), !(field.anyValue is [any Model]) else { return }
            values.append(field.anyValue.map { "\($0)" } ?? "nil")
        }
        return values
    }
}

private final class Keyed: Model {
    let id = Field<String>()

    convenience init(_ id: String) {
        self.init()
        self.id.value = id
    }
}

/// Values of every kind that has a form, along every way out and in.
@Suite struct TransformerPathTests {
    enum Way: CaseIterable {
        case dictionary, native, json, jsonArray, stream, copy, codable, propertyList, reread, merge
        case archive
    }

    private func transport(
        _ model: Everything,
        _ way: Way,
        _ context: ValueTransformerContext
    ) throws -> Everything {
        let encoder = JSONEncoder(), decoder = JSONDecoder()
        let lists = PropertyListEncoder(), reader = PropertyListDecoder()
        encoder.userInfo[.valueTransformerContext] = context
        decoder.userInfo[.valueTransformerContext] = context
        lists.userInfo[.valueTransformerContext] = context
        reader.userInfo[.valueTransformerContext] = context
        switch way {
        case .dictionary:
            return try Everything(dictionaryValue: model.dictionaryValue(in: context), in: context)
        case .native:
            return try Everything(dictionary: model.dictionary(in: context), in: context)
        case .json: return try Everything(json: model.jsonData(in: context), in: context)
        case .jsonArray:
            let json = try [model].jsonData(in: context)
            return try #require(try [Everything](json: json, in: context).first)
        case .stream:
            var reader = ModelArrayReader<Everything>(in: context)
            return try #require(try reader.read(try [model].jsonData(in: context)).first)
        case .copy: return model.copy()
        case .codable:
            return try decoder.decode(Everything.self, from: try encoder.encode(model))
        case .propertyList:
            model.wide.value = 1 << 63 - 1
            return try reader.decode(Everything.self, from: try lists.encode(model))
        case .reread:
            let other = Everything()
            try other.read(dictionaryValue: model.dictionaryValue(in: context), in: context)
            try other.read(json: model.jsonData(in: context), in: context)
            return other
        case .merge:
            let other = Everything()
            other.merge(from: model)
            return other
        case .archive:
            // As stores keep it: the attribute values as such, in a text and back.
            let value = AttributeValue.dictionary(model.dictionaryValue(in: context))
            let kept = try JSONDecoder().decode(
                AttributeValue.self,
                from: try JSONEncoder().encode(value)
            )
            guard case .dictionary(let dictionary) = kept else { return Everything() }
            return try Everything(dictionaryValue: dictionary, in: context)
        }
    }

    @Test(arguments: Way.allCases, [ValueTransformerContext.default, api])
    func `every kind of value comes out of every way as it went in`(
        way: Way,
        context: ValueTransformerContext
    ) throws {
        let model = Everything.sample()
        model.model.value = Everything.sample()
        model.models.value = [Everything(), Everything.sample()]
        let other = try transport(model, way, context)
        expect(other.values, equals: model.values)
        expect(other.model.value?.values, equals: model.model.value?.values)
        expect(other.models[1]?.values, equals: model.models[1]?.values)
        expect(other.dictionaryValue(in: context), equals: model.dictionaryValue(in: context))
        expect(other.dictionaryValue(), equals: model.dictionaryValue())
        expect(other.key.value?.id.value, equals: "k1")
        expect(other.keys.value?.map(\.id.value), equals: ["k2", "k3"])
    }

    @Test(arguments: Way.allCases, [ValueTransformerContext.default, api])
    func `nil that was set and what never was come out as such`(
        way: Way,
        context: ValueTransformerContext
    ) throws {
        let model = Everything()
        var isSet = false
        model.visitAllFields(recursive: false) { field in
            isSet.toggle()
            if isSet { try? field.setAnyValue(nil) }
        }
        let other = way == .propertyList ? model.copy() : try transport(model, way, context)
        expect(other.dictionaryValue(), equals: model.dictionaryValue())
        var states: [[LoadState]] = [[], []]
        model.visitAllFields(recursive: false) { states[0].append($0.loadState) }
        other.visitAllFields(recursive: false) { states[1].append($0.loadState) }
        expect(Set(states[1]).isSuperset(of: [.loaded]))
    }
}
