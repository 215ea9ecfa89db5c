// Compiled only: every form of observing models, once without and once with main-actor default isolation.
import ModelKit

extension Screen {
    func observeModels() async {
        person.observe("friends.*.name") { change in _ = change.path }
        person.observe("friends.*.name", by: self) { _, change in _ = change.path }
        person.observe(["friends", .each, "name"]) { change in _ = change.path }
        person.observe { change in _ = change.path }
        person.observe(\.friends, \.name) { change in _ = change.path }
        person.observe(\.boss, \.name) { change in _ = change.path }
        person.onMain.observe("friends.*.name") { [weak self] change in
            self?.label.text = change.path.description
        }
        person.onMain.observe { [weak self] change in self?.label.text = "\(change)" }
        person.onMain.observe("boss.name", by: self) { screen, change in
            screen.label.text = "\(change)"
        }
        for await change in person.changes { label.text = "\(change)" }
        for await change in person.changes(of: "**", buffering: .newest) {
            label.text = "\(change)"
        }
    }
}
