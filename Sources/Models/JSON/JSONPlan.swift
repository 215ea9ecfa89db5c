import ModelKitFields

/// The keys of a JSON object that has the fields of a model: where they are read to, and how they are
/// written.
final class JSONPlan: Sendable {
    /// An object, so that nothing is copied where it is used.
    final class Slot: Sendable {
        let key: [UInt8]
        /// The key in quotes and the colon after it.
        let written: [UInt8]
        /// The field whose value stands there; nil where the rest of nested keys does.
        let entry: ModelSchema.Entry?
        let form: FieldForm
        /// What the field's models read and write, if its form is that of models.
        let models: (any ModelForm)?
        /// The rest of nested keys.
        let inner: JSONPlan?

        init(_ name: String, _ members: [Member]) {
            key = Array(name.utf8)
            var writer = JSONWriter(isPretty: false)
            writer.write(name)
            written = writer.bytes + [UInt8(ascii: ":")]
            let own = members.first { $0.names.isEmpty }
            entry = own?.entry
            form = own?.form ?? .any
            models = own?.models
            inner = own == nil ? JSONPlan(members) : nil
        }
    }

    /// A field and its key, or what is left of it.
    struct Member {
        var names: ArraySlice<String>
        let entry: ModelSchema.Entry
        let form: FieldForm
        let models: (any ModelForm)?

        init(_ key: FieldKey, _ entry: ModelSchema.Entry, _ field: AnyField) {
            names = key.names[...]
            self.entry = entry
            (form, models) = FieldForm.of(field)
        }
    }

    /// In the order in which they are written: that of the bytes of the keys.
    let slots: [Slot]
    /// The places of the slots by the hashes of their keys; -1 where there is none.
    private let table: [Int]
    private let names: [String: Int]
    /// Whether a key that is written in other bytes may be the same for Swift.
    private let hasOtherSpellings: Bool

    init(_ members: [Member]) {
        var groups: [String: [Member]] = [:]
        for var member in members {
            guard let name = member.names.popFirst() else { continue }
            groups[name, default: []].append(member)
        }
        slots = groups.map { Slot($0, $1) }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        var table = [Int](repeating: -1, count: Self.tableSize(for: slots.count))
        for (index, slot) in slots.enumerated() {
            var place = slot.key.withUnsafeBytes(Self.hash) & (table.count - 1)
            while table[place] >= 0 { place = (place + 1) & (table.count - 1) }
            table[place] = index
        }
        self.table = table
        names = Dictionary(
            uniqueKeysWithValues: slots.enumerated().map { index, slot in
                (String(decoding: slot.key, as: UTF8.self), index)
            }
        )
        hasOtherSpellings = !slots.allSatisfy { $0.key.allSatisfy { $0 < 0x80 } }
    }

    private static func tableSize(for count: Int) -> Int {
        var size = 4
        while size < 4 * count { size *= 2 }
        return size
    }

    @inline(__always)
    private static func hash(_ key: UnsafeRawBufferPointer) -> Int {
        if key.isEmpty { return 0 }
        let last = key.count - 1
        return Int(key[0]) &* 37 &+ Int(key[last]) &* 11 &+ Int(key[last / 2]) &* 101 &+ key.count
    }

    /// The slot of a key that stands for itself; nil where there is none of these bytes.
    @inline(__always)
    func slot(of key: UnsafeRawBufferPointer) -> Int? {
        var place = Self.hash(key) & (table.count - 1)
        while table[place] >= 0 {
            let index = table[place]
            if slots[index].key.count == key.count,
                slots[index].key.withUnsafeBytes({ Self.isSame($0, key) })
            {
                return index
            }
            place = (place + 1) & (table.count - 1)
        }
        return nil
    }

    /// Of one length.
    @inline(__always)
    private static func isSame(
        _ left: UnsafeRawBufferPointer,
        _ right: UnsafeRawBufferPointer
    ) -> Bool {
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }

    /// Whether a key of ASCII that has no slot by its bytes has none at all.
    var knowsASCIIByBytes: Bool { !hasOtherSpellings }

    func slot(named name: String) -> Int? { names[name] }
}
