import ModelKitFields
import TestSupport
import Testing

/// Edits made at random, followed by mirrors that know nothing but the edits.
///
/// The argument of a failing test is its seed.
@Suite struct ArrayEditPropertyTests {
    @Test(arguments: 0..<60 as Range<UInt64>)
    func `a mirror follows every edit`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let field = ArrayField(Field<Int>(), allowsDuplicates: seed % 2 == 0)
        let mirror = Mirror<Int>()
        field.observeEdits { mirror.follow($0) }
        for _ in 0..<100 {
            let before = field.value ?? []
            let isEdited = editAtRandom(field, &random)
            let after = field.value ?? []
            if before != after { expect(isEdited) }
            expect(mirror.elements, equals: after)
        }
        expect(mirror.faults.isEmpty)
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `a mirror follows batches`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let field = ArrayField(Field<Int>())
        let mirror = Mirror<Int>()
        let late = Mirror<Int>()
        field.observeEdits { mirror.follow($0) }
        for round in 0..<40 {
            batch {
                for _ in 0..<Int.random(in: 0..<6, using: &random) { editAtRandom(field, &random) }
                if round == 20 { field.observeEdits { late.follow($0) } }
                for _ in 0..<Int.random(in: 0..<6, using: &random) { editAtRandom(field, &random) }
            }
            expect(mirror.elements, equals: field.value ?? [])
        }
        expect(late.elements, equals: field.value ?? [])
        expect(mirror.faults.isEmpty)
        expect(late.faults.isEmpty)
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `mirrors follow edits that observers make`(seed: UInt64) {
        let field = ArrayField(Field<Int>())
        let mirrors = (0..<3).map { _ in Mirror<Int>() }
        field.observeEdits { mirrors[0].follow($0) }
        field.observeEdits { change in
            mirrors[1].follow(change)
            // By the array, so that each run is the same; not always, so that it comes to an end.
            var random = SplitMix(
                seed: seed &+ UInt64(change.new.count &* 31 &+ change.edits.count)
            )
            if Int.random(in: 0..<3, using: &random) == 0 { editAtRandom(field, &random) }
        }
        field.observeEdits { mirrors[2].follow($0) }
        var random = SplitMix(seed: seed)
        let endless = Counter()
        ModelKitDiagnostics.withHandler({ _ in endless.increment() }) {
            for _ in 0..<60 {
                let before = endless.value
                editAtRandom(field, &random)
                // What an endless chain of observers has left is delivered with the next set.
                if endless.value > before { field.value = [1] }
                for mirror in mirrors { expect(mirror.elements, equals: field.value ?? []) }
            }
        }
        for mirror in mirrors { expect(mirror.faults.isEmpty) }
        expect(mirrors[0].elements, equals: mirrors[2].elements)
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `a mirror on the main thread follows the edits of another`(seed: UInt64) async {
        let field = ArrayField(Field<Int>())
        let mirror = Mirror<Int>()
        field.onMain.observeEdits { mirror.follow($0) }
        await Task.detached {
            var random = SplitMix(seed: seed)
            for round in 0..<200 {
                editAtRandom(field, &random)
                if round % 50 == 0 { await MainActor.run { _ = editAtRandom(field, &random) } }
            }
        }.value
        while await MainActor.run(body: { mirror.elements != field.value ?? [] }) {
            await Task.yield()
        }
        expect(mirror.faults.isEmpty)
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `mirrors follow four threads`(seed: UInt64) async {
        let field = ArrayField(Field<Int>(), allowsDuplicates: seed % 2 == 0)
        let early = Mirror<Int>()
        let late = Mirror<Int>()
        field.observeEdits { early.follow($0) }
        let ends = (0..<4).map { thread in
            startThread {
                var random = SplitMix(seed: seed &* 4 &+ UInt64(thread))
                ModelKitDiagnostics.withHandler({ _ in }) {
                    for round in 0..<400 {
                        if round % 20 == 0 {
                            batch { for _ in 0..<5 { editAtRandom(field, &random) } }
                        } else {
                            editAtRandom(field, &random)
                        }
                        if thread == 0, round == 200 { field.observeEdits { late.follow($0) } }
                    }
                }
            }
        }
        for end in ends { end() }
        // Deliveries that were handed over may still run.
        await field.settled()
        for mirror in [early, late] {
            expect(mirror.elements, equals: field.value ?? [])
            expect(mirror.faults.isEmpty)
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `the edits between two arrays are as few as can be`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let letters = Int.random(in: 1...6, using: &random)
        let old = array(Int.random(in: 0...20, using: &random), below: letters, &random)
        let new = array(Int.random(in: 0...20, using: &random), below: letters, &random)
        let field = ArrayField(Field<Int>(), value: old)
        let mirror = Mirror<Int>()
        let costs = Log<Int>()
        field.observeEdits { change in
            mirror.follow(change)
            costs.add(change.edits.map(cost).reduce(0, +))
        }
        field.value = new
        expect(mirror.elements, equals: new)
        expect(mirror.faults.isEmpty)
        let expected = old.count + new.count - 2 * longestCommon(old, new)
        expect(expected == 0 ? costs.count == 1 : costs.entries.last == expected)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `few edits are found in a long array`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let old = array(5000, below: 1000, &random)
        var new = old
        for _ in 0..<40 {
            let place = Int.random(in: 0..<new.count, using: &random)
            if Bool.random(using: &random) { new.remove(at: place) } else { new[place] = -1 }
        }
        let field = ArrayField(Field<Int>(), value: old)
        let mirror = Mirror<Int>()
        let counts = Log<Int>()
        field.observeEdits { change in
            mirror.follow(change)
            counts.add(change.edits.count)
        }
        field.value = new
        expect(mirror.elements, equals: new)
        expect(mirror.faults.isEmpty)
        expect(counts.entries.last.map { $0 > 1 && $0 <= 80 }, equals: true)
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `a sort is the fewest moves`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var old = Array(0..<Int.random(in: 2...60, using: &random))
        for _ in 0..<Int.random(in: 1...30, using: &random) {
            let element = old.remove(at: Int.random(in: 0..<old.count, using: &random))
            old.insert(element, at: Int.random(in: 0...old.count, using: &random))
        }
        let field = ArrayField(Field<Int>(), value: old)
        let mirror = Mirror<Int>()
        let counts = Log<Int>()
        field.observeEdits { change in
            mirror.follow(change)
            counts.add(change.edits.count)
        }
        let isSorted = old == old.sorted()
        expect(field.sort(), equals: !isSorted)
        expect(mirror.elements, equals: old.sorted())
        expect(mirror.faults.isEmpty)
        let fewest = old.count - longestCommon(old, old.sorted())
        expect(isSorted || counts.entries.last == fewest)
    }
}

/// How many insertions and removals an edit stands for.
private func cost(_ edit: ArrayEdit<Int>) -> Int {
    switch edit {
    case .insert, .remove: 1
    case .replace: 2
    case .move, .reset: 1_000_000
    }
}

private func longestCommon(_ left: [Int], _ right: [Int]) -> Int {
    var row = [Int](repeating: 0, count: right.count + 1)
    for element in left {
        var diagonal = 0
        for (index, other) in right.enumerated() {
            let above = row[index + 1]
            row[index + 1] = element == other ? diagonal + 1 : max(above, row[index])
            diagonal = above
        }
    }
    return row[right.count]
}
