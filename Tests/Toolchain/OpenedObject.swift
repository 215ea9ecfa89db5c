// An object that is known as its superclass, as an existential, opened: it is to be opened with its own
// class. `Model.opened` is the mend.
protocol Named: AnyObject {}
class Base: Named {}
final class Own: Base {}

@inline(never) func known<N: Named>(as object: N) -> Any.Type { N.self }

func open(_ object: any Named) -> Any.Type { known(as: object) }

@inline(never) func openDirectly(_ object: some Named) -> Any.Type { open(object) }

extension Named {
    @inline(never) var opened: any Named { self }
}

@inline(never) func openMended(_ object: some Named) -> Any.Type { open(object.opened) }

@main struct Main {
    static func main() {
        let object: Base = Own()
        let type =
            CommandLine.arguments.contains("mended") ? openMended(object) : openDirectly(object)
        print(type == Own.self ? "right" : "wrong")
    }
}
