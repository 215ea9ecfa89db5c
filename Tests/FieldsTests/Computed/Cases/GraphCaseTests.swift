import ModelKitFields
import TestSupport
import Testing

@Suite struct GraphCaseTests {
    @Test(arguments: Shape.all)
    func `when it is read, each runs once, after what it reads`(shape: Shape) {
        let graph = ShapedGraph(shape)
        expect(graph.values, equals: shape.values(with: graph.fields.map { _ in 1 }))
        let before = graph.nodes.map(\.runs)
        expect(before.allSatisfy { $0 == 1 })
        graph.order.clear()
        for field in graph.fields { field.value = 5 }
        expect(
            graph.nodes.last?.value,
            equals: shape.values(with: graph.fields.map { _ in 5 }).last
        )
        expect(graph.values, equals: shape.values(with: graph.fields.map { _ in 5 }))
        expect(graph.runs(since: before), equals: shape.runs)
        expectSourcesFirst(graph, shape)
    }

    @Test(arguments: Shape.all)
    func `observed, each runs once a batch, and those with another value notify`(shape: Shape) {
        let graph = ShapedGraph(shape)
        let watched = graph.nodes.map { Watched($0.computed) }
        let (old, before) = (graph.values, graph.nodes.map(\.runs))
        graph.order.clear()
        batch { for field in graph.fields { field.value = 5 } }
        expect(graph.runs(since: before), equals: shape.runs)
        expectSourcesFirst(graph, shape)
        let new = shape.values(with: graph.fields.map { _ in 5 })
        for (index, watched) in watched.enumerated() {
            expect(
                watched.received,
                equals: (old[index] == new[index] ? [old[index]] : [old[index], new[index]])
            )
        }
    }

    private func expectSourcesFirst(_ graph: ShapedGraph, _ shape: Shape) {
        let order = graph.order.entries
        for (node, reads) in zip(shape.fieldCount..., shape.reads) {
            for read in reads {
                guard let place = order.firstIndex(of: node),
                    let sourcePlace = order.firstIndex(of: read)
                else { continue }
                expect(sourcePlace < place)
            }
        }
    }

    @Test func `of two observers the one that is left is notified`() {
        let number = Field<Int>(value: 0)
        let double = Computed { number.value.map { $0 * 2 } }
        let first = Watched(double)
        let second = Watched(double)
        first.observation.cancel()
        number.value = 1
        number.value = 2
        expect(first.received, equals: [0])
        expect(second.received, equals: [0, 2, 4])
    }

    @Test func `a chain that nobody observes any more runs only when it is read`() {
        let number = Field<Int>(value: 0)
        let first = Tallied { number.value.map { $0 + 1 } }
        let second = Tallied { first.value.map { $0 + 1 } }
        let third = Tallied { second.value.map { $0 + 1 } }
        let watched = [Watched(third.computed), Watched(third.computed)]
        number.value = 1
        for watched in watched { watched.observation.cancel() }
        number.value = 2
        expect(watched.map(\.received), equals: [[3, 4], [3, 4]])
        expect([first.runs, second.runs, third.runs], equals: [2, 2, 2])
        expect(third.value, equals: 5)
        expect([first.runs, second.runs, third.runs], equals: [3, 3, 3])
    }

    @Test func `one that was read before notifies an observer that comes later`() {
        let number = Field<Int>(value: 0)
        let same = Computed { number.value }
        let last = Computed { same.value }
        expect(last.value, equals: 0)
        number.value = 1
        let watched = Watched(last)
        number.value = 2
        expect(watched.received, equals: [1, 2])
    }

    @Test func `one that nobody holds is freed, and what it reads goes on`() {
        let number = Field<Int>(value: 0)
        weak var weakly: Computed<Int>?
        do {
            let double = Computed { number.value.map { $0 * 2 } }
            expect(double.value, equals: 0)
            weakly = double
        }
        expect(weakly == nil)
        number.value = 5
        expect(number.value, equals: 5)
    }
}
