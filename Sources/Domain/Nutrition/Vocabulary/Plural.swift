/// Plurals of the table's names.
enum Plural {
    /// The plural of a folded name: its last word's.
    static func of(_ name: String) -> String {
        if let plural = irregular[name.split(separator: " ").last.map(String.init) ?? name] {
            return String(name.dropLast(plural.dropped)) + plural.ending
        }
        // Already plural or the same: hummus, asparagus, corn flakes.
        if name.hasSuffix("s") { return name }
        if ["x", "z", "ch", "sh"].contains(where: name.hasSuffix) { return name + "es" }
        if name.hasSuffix("y"), let before = name.dropLast().last, !"aeiou".contains(before) {
            return name.dropLast() + "ies"
        }
        return name + "s"
    }

    private static let irregular: [String: (dropped: Int, ending: String)] = [
        "tomato": (0, "es"), "potato": (0, "es"), "mango": (0, "es"), "jalapeno": (0, "s"), "loaf": (1, "ves"),
    ]
}
