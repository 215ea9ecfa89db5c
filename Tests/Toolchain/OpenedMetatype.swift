// The type of an object that is known as its superclass, opened: what is made of it is to be of its own
// class. `ModelSchema.dynamic` is the mend.
protocol Made: AnyObject { init() }
class Base: Made { required init() {} }
final class Own: Base {}

@inline(never) func make<M: Made>(_ type: M.Type) -> any Made { M() }

@inline(never) func makeOpening(_ object: some Made) -> any Made {
    let type: any Made.Type = Swift.type(of: object)
    return make(type)
}

@inline(never) func dynamic(_ type: any Made.Type) -> any Made.Type {
    (type as AnyClass) as? any Made.Type ?? type
}

@inline(never) func makeMended(_ object: some Made) -> any Made {
    make(dynamic(Swift.type(of: object)))
}

@main struct Main {
    static func main() {
        let object: Base = Own()
        let made =
            CommandLine.arguments.contains("mended") ? makeMended(object) : makeOpening(object)
        print(made is Own ? "right" : "wrong")
    }
}
