import Foundation
import ModelKitFields
import ModelKitModels

final class Part: Model {
    let id = Field<Int>()
    let text = Field<String>()
    let number = Field<Double>()
    let isOn = Field<Bool>()
    let tags = Field<String>()*
    let date = Field<Date>()
    let seconds = Field<Date>().transform(with: .epochSeconds)
    let limited = Field<Int>().constrain(to: 0...9)
    let any = Field<AttributeValue>()
    let first = Field<String>(key: ["name", "first"])
    let last = Field<String>(key: ["name", "last"])
    let part = ModelField<Part>()
    let parts = ModelField<Part>()*
}

/// Has fields that take more digits than those of attribute values.
final class Offer: Model {
    let id = Field<Int>()
    let price = Field<Decimal>()
    let prices = Field<Decimal>()*
    let offer = ModelField<Offer>()
}

/// Gives bytes to what the first of them names.
///
/// What must hold is a precondition: where it does not, the process ends, and libFuzzer keeps them.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard let subject = bytes.first else { return 0 }
    let input = Data(bytes.dropFirst())
    switch subject % 6 {
    case 0: fuzzReader(input)
    case 1: fuzzModel(input)
    case 2: fuzzStream(input)
    case 3: fuzzPath(String(decoding: input, as: UTF8.self))
    case 4: fuzzWideNumbers(input)
    default: fuzzPattern(String(decoding: input, as: UTF8.self))
    }
    return 0
}

/// What was read is written and read again as the same.
private func fuzzReader(_ json: Data) {
    guard let value = try? AttributeValue(json: json) else { return }
    guard let written = try? value.jsonData(), let again = try? AttributeValue(json: written) else {
        preconditionFailure("what was read cannot be written")
    }
    precondition(again == value)
    guard case .dictionary(let dictionary) = value else { return }
    let report = ImportReport()
    guard let part = try? Part(dictionaryValue: dictionary, policy: .skipInvalid(report)) else {
        preconditionFailure("an import that skips has thrown")
    }
    _ = part.description
    _ = part.validate()
    _ = try? AttributeDictionary(any: dictionary.anyDictionary)
}

/// Straight to the fields and through attribute values come to the same.
private func fuzzModel(_ json: Data) {
    let direct = Result { try Part(json: json) }
    // A model that is there is read by attribute values.
    let other = Result { () -> Part in
        let part = Part()
        try part.read(json: json)
        return part
    }
    switch (direct, other) {
    case (.success(let part), .success(let otherPart)):
        let dictionary = part.dictionaryValue()
        precondition(dictionary == otherPart.dictionaryValue())
        let written = try? part.jsonData()
        precondition(written == (try? AttributeValue.dictionary(dictionary).jsonData()))
        // It takes less: no number that nobody reads and no double holds.
        if case .dictionary(let members)? = try? AttributeValue(json: json) {
            precondition((try? Part(dictionaryValue: members))?.dictionaryValue() == dictionary)
        }
    case (.failure(let error), .failure(let otherError)):
        precondition(error as? ImportError == otherError as? ImportError)
    default: preconditionFailure("\(direct) but \(other)")
    }
}

/// Whether bytes come in one piece or in two makes no difference.
private func fuzzStream(_ input: Data) {
    guard let cut = input.first else { return }
    let json = input.dropFirst()
    let middle = json.startIndex + Int(cut) * json.count / 256
    let whole = try? [Part](json: Data(json), policy: .skipInvalid())
    let parts = try? { () throws -> [Part] in
        var reader = ModelArrayReader<Part>(policy: .skipInvalid())
        let parts = try reader.read(json[..<middle]) + reader.read(json[middle...])
        try reader.finish()
        return parts
    }()
    precondition(whole?.dictionaryValues() == parts?.dictionaryValues())
}

/// Wide numbers are written and read again as the same, and the same in an array.
private func fuzzWideNumbers(_ json: Data) {
    let array = try? [Offer](json: Data("[".utf8) + json + Data("]".utf8))
    guard let offer = try? Offer(json: json) else { return }
    guard let written = try? offer.jsonData(), let again = try? Offer(json: written) else {
        preconditionFailure("what was read cannot be written")
    }
    precondition(again.dictionaryValue() == offer.dictionaryValue())
    precondition(array?.dictionaryValues() == [offer.dictionaryValue()])
}

/// A path that was read is written and read again as the same.
private func fuzzPath(_ text: String) {
    if let path = try? FieldPath(jsonPointer: text) {
        precondition((try? FieldPath(jsonPointer: path.jsonPointer)) == path)
    }
    _ = (try? FieldPath(parsing: text))?.description
}

/// Up to the first line break is the pattern, the rest the text that it is looked for in.
private func fuzzPattern(_ input: String) {
    let parts = input.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    guard let source = parts.first, let pattern = try? Pattern(String(source)) else { return }
    _ = pattern.isFound(in: String(parts.last ?? ""))
}

/// libFuzzer, where the main function is not its own.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// What the package manager links as the main function of the executable.
@_cdecl("fuzz_main")
func fuzzMain(
    _ count: CInt,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    var (count, arguments) = (count, arguments)
    return runFuzzer(&count, &arguments) { fuzz($0, $1) }
}
