import ModelKitFields
import TestSupport
import Testing

@Suite struct FieldKeyTests {
    @Test(arguments: [
        ("name", "name"), ("K", "\u{212A}"), (";", "\u{37E}"), ("`", "\u{1FEF}"), ("é", "e\u{301}"),
        ("K", "K"), ("Å", "\u{212B}"), ("", ""),
    ])
    func `keys of names that are equal are the same`(left: String, right: String) {
        let keys: Set<FieldKey> = [FieldKey(["outer", left]), FieldKey(["outer", right])]
        expect(keys.count, equals: 1)
    }

    @Test func `keys of other names are others`() {
        let names = [["ab"], ["a", "b"], ["b", "a"], ["a"], ["a", ""], ["", "a"], ["K"], ["k"]]
        expect(Set(names.map { FieldKey($0) }).count, equals: names.count)
    }
}
