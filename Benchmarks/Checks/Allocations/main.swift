// Counts what optimised code asks the system for, beside OpenCombine, and ends with an error where it
// is more than it may be.
import AllocationCounter
import Foundation
import ModelKit
import OpenCombine

/// Blocks and bytes of one round of some work, on average.
struct Cost {
    let blocks: Double
    let bytes: Double

    init(of rounds: Int, _ work: () -> Void) {
        // The first rounds make what is kept.
        for _ in 0..<10 { work() }
        let before = allocations()
        for _ in 0..<rounds { work() }
        let after = allocations()
        blocks = Double(after.blocks - before.blocks) / Double(rounds)
        bytes = Double(after.bytes - before.bytes) / Double(rounds)
    }
}

@inline(never)
func keep<Value>(_ value: Value) { withExtendedLifetime(value) {} }

var isExceeded = false

@MainActor
func check(
    _ name: String,
    blocks: Double,
    bytes: Double,
    rounds: Int = 1000,
    ours: () -> Void,
    theirs: (() -> Void)? = nil
) {
    let cost = Cost(of: rounds, ours)
    // Half a block is what the counting itself may be wrong by.
    let isTooMuch = cost.blocks > blocks + 0.5 || cost.bytes > bytes + 8
    if isTooMuch { isExceeded = true }
    func text(_ cost: Cost) -> String {
        String(format: "%8.1f, %8.0f bytes", cost.blocks, cost.bytes)
    }
    let peer = theirs.map { "  OpenCombine " + text(Cost(of: rounds, $0)) } ?? ""
    let limit = String(format: "%.0f, %.0f", blocks, bytes)
    let title = name.padding(toLength: 34, withPad: " ", startingAt: 0)
    print("\(title) \(text(cost)) of at most \(limit)\(peer)\(isTooMuch ? "  TOO MUCH" : "")")
}

/// Where what is made is put, so that it is not made on the stack.
var place: AnyObject?

check("make a field", blocks: 1, bytes: 128) {
    place = Field<Int>(value: 1)
} theirs: {
    place = CurrentValueSubject<Int, Never>(1)
}

check("make 10 fields", blocks: 10, bytes: 1300) {
    for value in 0..<10 { place = Field<Int>(value: value) }
} theirs: {
    for value in 0..<10 { place = CurrentValueSubject<Int, Never>(value) }
}

let plain = Field<Int>(value: 0)
let observed = Field<Int>(value: 0)
for _ in 0..<10 { observed.observe { (value: Int?) in keep(value) } }
let alone = CurrentValueSubject<Int, Never>(0)
let subject = CurrentValueSubject<Int, Never>(0)
let sinks = (0..<10).map { _ in subject.sink { keep($0) } }
check("set, 0 observers", blocks: 0, bytes: 0) {
    plain.value = 1
} theirs: {
    alone.value = 1
}
check("set, 10 observers", blocks: 0, bytes: 0) {
    observed.value = 1
} theirs: {
    subject.value = 1
}
withExtendedLifetime(sinks) {}

let fields = (0..<10_000).map { Field<Int>(value: $0).require(.min(0)) }
check("validate 10 000 fields", blocks: 0, bytes: 0, rounds: 20) {
    for field in fields { keep(field.validate()) }
}

// Rounds that make and end something leave nothing: what is asked for is given back.
@MainActor
func checkFlat(_ name: String, _ round: () -> Void) {
    for _ in 0..<200 { round() }
    let before = allocations().kept
    for _ in 0..<1000 { round() }
    let after = allocations().kept
    let growth = after - before
    let isTooMuch = growth > 16 * 1024
    if isTooMuch { isExceeded = true }
    let title = name.padding(toLength: 34, withPad: " ", startingAt: 0)
    print("\(title) \(growth) bytes after 1 000 rounds\(isTooMuch ? "  TOO MUCH" : "")")
}

let source = Field<Int>(value: 1)
let list = ArrayField(Field<Int>(), value: [1])
checkFlat("bind, set, unbind") {
    let target = Field<Int>(value: 2)
    source --> target
    source.value = 3
    source -/-> target
}
checkFlat("bind, target dies") {
    source --> Field<Int>(value: 2)
    source.value = 3
}
checkFlat("bind both ways, source dies") {
    let other = Field<Int>(value: 2)
    other <--> source
    other.value = 3
}
checkFlat("bind by a transform") {
    let text = Field<String>()
    source.bind(to: text, forward: { $0.map { "\($0)" } }, backward: { $0.flatMap { Int($0) } })
    text.value = "4"
}
checkFlat("observe, cancel") {
    let observation = source.observe { (value: Int?) in keep(value) }
    source.value = 3
    observation.cancel()
}
checkFlat("observe edits, cancel") {
    let observation = list.observeEdits { keep($0.edits) }
    list.append(1)
    list.remove(at: 1)
    observation.cancel()
}
checkFlat("bind to a computed field") {
    let sum = Computed { source.value.map { $0 + 1 } }
    let target = Field<Int>()
    target <-- sum
    source.value = 5
}
checkFlat("a sequence that ends early") {
    var values: FieldValues<Int>? = source.values
    keep(values)
    values = nil
    source.value = 6
}

let settled = Promise.value(1)
// A promise is one block, and so is a step or handler, with one more for what its closure captures.
check("make and resolve a promise", blocks: 1, bytes: 112) {
    let (promise, resolver) = Promise<Int>.withResolvers()
    resolver.fulfill(1)
    keep(promise)
}
check("resolve with one handler", blocks: 2, bytes: 192) {
    let (promise, resolver) = Promise<Int>.withResolvers()
    promise.observe { keep($0) }
    resolver.fulfill(1)
}
check("a promise and 10 steps", blocks: 11, bytes: 1392) {
    let (promise, resolver) = Promise<Int>.withResolvers()
    var end = promise
    for _ in 0..<10 { end = end.map { $0 + 1 } }
    resolver.fulfill(1)
    keep(end.result)
}
check("a promise and 10 that capture", blocks: 21, bytes: 1712) {
    let (promise, resolver) = Promise<Int>.withResolvers()
    var end = promise
    for number in 0..<10 { end = end.map { $0 + number } }
    resolver.fulfill(1)
    keep(end.result)
}
check("read a settled promise", blocks: 0, bytes: 0) {
    keep(settled.result)
}
let lasting = Promise<Int>.withResolvers()
checkFlat("a race that is lost") {
    keep(Promise.race([lasting.promise, settled]).result)
}
checkFlat("a step that is cancelled") {
    lasting.promise.map { $0 + 1 }.cancel()
}

exit(isExceeded ? 1 : 0)
