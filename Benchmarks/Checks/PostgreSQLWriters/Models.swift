import ModelKit

final class Entry: Model {
    let id = Field<Int>()
    let name = Field<String>()
    let city = Field<String>()
    let count = Field<Int>()
    let weight = Field<Double>()

    convenience init(_ number: Int) {
        self.init()
        id.value = number
        (name.value, city.value) = ("Name \(number)", "City \(number % 1_000)")
        (count.value, weight.value) = (number % 90, Double(number % 700) / 7)
    }
}

final class Slow: Model {
    let id = Field<Int>()
}
