import ModelKitFields
import Synchronization

/// The keys of a JSON object that has the fields of a model: where they are read to, and how they are
/// written.
final class JSONPlan: Sendable {
    /// An object, so that nothing is copied where it is used.
    final class Slot: Sendable {
        let key: [UInt8]
        /// The key in quotes and the colon after it.
        let written: [UInt8]
        /// The same after a comma.
        let separated: [UInt8]
        /// The field whose value stands there; nil where the rest of nested keys does.
        let access: FieldAccess?
        private let offset: Int?
        let form: FieldForm
        /// What the field's models read and write, if its form is that of models.
        let models: (any ModelForm)?
        /// The rest of nested keys.
        let inner: JSONPlan?
        /// The slot that came last after this one.
        fileprivate let follower: Atomic<Int>

        /// The field of a model, which the caller does not hold; nil where it has to be looked for.
        @inline(__always)
        func unretainedField(in model: AnyObject) -> Unmanaged<AnyField>? {
            offset.map { FieldAccess.field(of: model, at: $0) }
        }

        /// Whether the key in quotes and the colon stand at a byte.
        @inline(__always)
        func stands(at position: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
            written.withUnsafeBytes { written in
                position + written.count <= bytes.count
                    && JSONPlan.isSame(
                        written,
                        UnsafeRawBufferPointer(
                            rebasing: bytes[position..<(position + written.count)]
                        )
                    )
            }
        }

        fileprivate init(_ name: String, _ members: [Member], before follower: Int) {
            key = Array(name.utf8)
            var writer = JSONWriter(isPretty: false)
            writer.write(name)
            writer.bytes.append(UInt8(ascii: ":"))
            written = writer.bytes.array
            separated = [UInt8(ascii: ",")] + written
            let own = members.first { $0.names.isEmpty }
            access = own?.access
            offset = own?.access.offset
            form = own?.form ?? .any
            models = own?.models
            inner = own == nil ? JSONPlan(members) : nil
            self.follower = Atomic(follower)
        }
    }

    /// A field and its key, or what is left of it.
    struct Member {
        var names: ArraySlice<String>
        let access: FieldAccess
        let form: FieldForm
        let models: (any ModelForm)?
    }

    /// In the order in which they are written: that of the bytes of the keys.
    let slots: [Slot]
    /// The same for those who need not hold them.
    let unretained: [Unmanaged<Slot>]
    /// The places of the slots by the hashes of their keys; -1 where there is none.
    private let table: [Int]
    private let names: [String: Int]
    /// The slot that came last at the start: who writes objects mostly writes their keys in one order.
    private let first = Atomic(0)
    /// Whether a key of ASCII that has no slot by its bytes has none at all, as none may be spelled otherwise.
    let knowsASCIIByBytes: Bool
    /// Whether a key begins with a dollar.
    let hasDollar: Bool

    init(_ members: [Member]) {
        var groups: [String: [Member]] = [:]
        for var member in members {
            guard let name = member.names.popFirst() else { continue }
            groups[name, default: []].append(member)
        }
        let named = groups.map { (key: Array($0.utf8), name: $0, members: $1) }
        slots = named.sorted { $0.key.lexicographicallyPrecedes($1.key) }.enumerated()
            .map { Slot($1.name, $1.members, before: $0 + 1) }
        unretained = slots.map(Unmanaged.passUnretained)
        var size = 4
        while size < 4 * slots.count { size *= 2 }
        var table = [Int](repeating: -1, count: size)
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
        hasDollar = slots.contains { $0.key.first == UInt8(ascii: "$") }
        knowsASCIIByBytes = slots.allSatisfy { $0.key.allSatisfy { $0 < 0x80 } }
    }

    /// The slot whose key probably comes after that of another, or at the start after `slots.count`;
    /// `slots.count` where none does.
    @inline(__always)
    func follower(of slot: Int) -> Int {
        guard slot < unretained.count else { return first.load(ordering: .relaxed) }
        return unretained[slot]._withUnsafeGuaranteedRef { $0.follower.load(ordering: .relaxed) }
    }

    func note(_ slot: Int, after last: Int) {
        guard last < slots.count else { return first.store(slot, ordering: .relaxed) }
        slots[last].follower.store(slot, ordering: .relaxed)
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
        var index = 0
        while index + 8 <= left.count {
            if left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                != right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            {
                return false
            }
            index += 8
        }
        while index < left.count {
            if left[index] != right[index] { return false }
            index += 1
        }
        return true
    }

    func slot(named name: String) -> Int? { names[name] }
}
