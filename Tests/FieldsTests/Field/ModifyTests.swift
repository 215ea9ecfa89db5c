import Dispatch
import ModelKitFields
import TestSupport
import Testing

@Suite struct ModifyTests {
    @Test func `it gets the value and gives back what the closure returns, in one set`() {
        let field = Field<Int>(value: 1)
        let log = Log<[Int?]>()
        field.observe { old, new in log.add([old, new]) }
        let before = field.modify { value in
            defer { value = (value ?? 0) + 1 }
            return value
        }
        expect(before, equals: 1)
        expect(field.value, equals: 2)
        expect(log.entries, equals: [[nil, 1], [1, 2]])
    }

    @Test func `sets of other threads are not lost`() {
        let field = Field<Int>(value: 0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<5_000 { field.modify { $0 = ($0 ?? 0) + 1 } }
        }
        expect(field.value, equals: 20_000)
    }

    @Test func `it runs again when the field was set meanwhile, and may read the field`() {
        let field = Field<String>(value: "a")
        let log = Log<String?>()
        field.modify { value in
            log.add(field.value)
            if log.count == 1 { startThread { field.value = "b" }() }
            value? += "!"
        }
        expect(log.entries, equals: ["a", "b"])
        expect(field.value, equals: "b!")
    }

    @Test func `one that throws sets nothing`() {
        struct Refused: Error {}
        let field = Field<Int>(value: 1)
        #expect(throws: Refused.self) {
            try field.modify { value in
                value = 2
                throw Refused()
            }
        }
        expect(field.value, equals: 1)
        expect(field.updatedAt, equals: nil)
    }
}
