import FitIQAPI
import Foundation
import TestSupport
import Testing

@testable import Nutrition

@Suite("The food file")
struct FoodFileTests {
    static let head = FoodFile.titles.joined(separator: "\t") + "\n"

    /// A valid line, in the order of the columns.
    static let apple = [
        "fruit", "apple", "apple", "red apple; Äpfel", "52", "0.26", "13.81", "0.17", "2.4", "", "1 medium apple",
        "182", "cups 125; pieces 182.5", "small 149; large 223", "kcal 70; protein 6.5; fat 5", "Raw, sliced", "solid",
        "SR Legacy", "Apples, raw", "171688", "Anything.",
    ]

    private static func read(_ text: String) -> FoodFile { Array(text.utf8).withUnsafeBufferPointer { FoodFile($0) } }

    private static func line(_ changes: [(column: FoodFile.Column, cell: String)]) -> String {
        var cells = apple
        for (index, column) in FoodFile.Column.allCases.enumerated() {
            if let change = changes.last(where: { $0.column == column }) { cells[index] = change.cell }
        }
        return cells.joined(separator: "\t") + "\n"
    }

    @Test("The food file on disk has no errors")
    func isRight() throws {
        let file = Self.read(try textOfPackage(FoodFile.path))
        for mistake in file.mistakes { Issue.record("\(mistake)") }
        #expect(file.foods.count >= 317)
    }

    @Test("The reader turns a line into a food")
    func readsFood() throws {
        let file = Self.read(Self.head + Self.line([]))
        #expect(file.mistakes == [])
        let food = try #require(file.foods.first)
        #expect(food.key == "apple" && food.names == ["apple", "red apple", "Äpfel"])
        let facts = food.per100Grams
        #expect(
            [facts.calories, facts.protein, facts.carbs, facts.fat, facts.fiber, facts.sugar]
                == [52, 0.26, 13.81, 0.17, 2.4, 0])
        #expect(food.serving.name == "1 medium apple" && food.serving.grams == 182)
        #expect(food.portions == [.cups: 125, .pieces: 182.5] && food.sizes == [.small: 149, .large: 223])
        #expect(food.label == MealNutrients(calories: 70, proteinTenths: 65, fatTenths: 50))
        #expect(food.preparation == "Raw, sliced" && food.kind == .solid)
        #expect(food.source == Food.Source(database: .srLegacy, food: "Apples, raw", id: 171688))
        #expect(file.entries.keys.sorted() == ["apfel", "apfels", "apple", "apples", "red apple", "red apples"])
        #expect(file.entries["red apples"]?.isPlural == true && file.entries["red apple"]?.isPlural == false)
    }

    @Test("The reader accepts empty optional columns")
    func readsEmptyCells() throws {
        let optional: [FoodFile.Column] = [
            .group, .aliases, .protein, .carbs, .fat, .fiber, .sugar, .gramsPerUnit, .gramsPerSize, .label,
            .preparation, .id, .remarks,
        ]
        let file = Self.read(Self.head + Self.line(optional.map { ($0, "") }))
        #expect(file.mistakes == [])
        let food = try #require(file.foods.first)
        #expect(food.names == ["apple"] && food.label == nil && food.preparation == nil && food.portions.isEmpty)
        #expect(food.source == Food.Source(database: .srLegacy, food: "Apples, raw", id: nil))
        for column in FoodFile.Column.allCases where !optional.contains(column) {
            #expect(!Self.read(Self.head + Self.line([(column, "")])).mistakes.isEmpty, "\(column.rawValue)")
        }
    }

    @Test(
        "The reader accepts decimals in Swift's notation",
        arguments: [0.1, 0.26, 13.81, 182.5, 99.99, 0.07, 452.35, 4518])
    func readsDecimals(_ value: Double) {
        let cell = value == value.rounded() ? "\(Int(value))" : "\(value)"
        #expect(Self.read(Self.head + Self.line([(.servingGrams, cell)])).foods.first?.serving.grams == value)
    }

    @Test(
        "The reader accepts numbers at their bounds",
        arguments: [
            (.kcal, "902"), (.kcal, "0"), (.sugar, "100"), (.servingGrams, "4999.99"), (.servingGrams, "0.01"),
            (.servingGrams, "004999.99"),
        ] as [(FoodFile.Column, String)])
    func readsLimits(_ column: FoodFile.Column, _ cell: String) {
        #expect(Self.read(Self.head + Self.line([(column, cell)])).mistakes == [])
    }

    static let mistakes: [(column: FoodFile.Column, cells: [String], message: String)] = [
        (.key, ["", "Apple", "apple pie", "apple2"], "the key is \""),
        (.name, ["", "!"], ""), (.aliases, ["a;;b", "a;b", "a;bc", "a; ", "; a", "a;  b", "!"], ""),
        (
            .kcal, ["", "-1", "+1", "1e2", "902.01", "1,5", ".5", "5.", "1.234", "x", "1 2", "9999999", "0x1", "٣"],
            "kcal is \""
        ), (.protein, ["100.01", "3,1", "-0"], "protein is \""), (.sugar, ["101"], "it must be a number from 0 to 100"),
        (.servingGrams, ["0", "5000", "12,5", "a"], "serving grams has \""),
        (
            .gramsPerUnit,
            ["cup 3", "grams 3", "servings 3", "cups", "cups 0", "cups 3; cups 4", "cups 3, pieces 4", "3 cups"], ""
        ), (.gramsPerSize, ["huge 3", "small", "small 1; small 2"], ""),
        (.label, ["kcal 70.5", "protein 6.55", "salt 1", "kcal", "fat 1; fat 2", "kcal -1"], ""),
        (.kind, ["", "Solid", "food"], "it must be solid, drink, water or alcohol"),
        (.source, ["", "USDA", "sr legacy"], "SR Legacy, FNDDS, Foundation, Branded or recipe"),
        (.sourceFood, [""], "source food is empty"),
        (.id, ["1", "167511", "175305", "a", "171688.0"], "only SR Legacy foods may have an id"),
        (.remarks, [" a", "a ", "\"a\""], "begins or ends with a space or a quotation mark"),
    ]

    @Test("The reader reports an invalid cell with its file, line and column", arguments: mistakes)
    func tellsCells(_ column: FoodFile.Column, _ cells: [String], _ message: String) {
        for cell in cells {
            let file = Self.read(
                Self.head + Self.line([])
                    + Self.line([(.key, "pear"), (.name, "pear"), (.aliases, ""), (column, cell)]))
            #expect(!file.mistakes.isEmpty, "\(column.rawValue): \(cell)")
            #expect(file.mistakes.allSatisfy { $0.hasPrefix("Fixtures/data/foods.tsv:3: ") }, "\(file.mistakes)")
            #expect(message.isEmpty || file.mistakes.contains { $0.contains(message) }, "\(file.mistakes)")
        }
    }

    @Test("The reader accepts an id only for a food from SR Legacy")
    func tellsIDs() {
        for source in ["FNDDS", "Foundation", "Branded", "recipe"] {
            #expect(Self.read(Self.head + Self.line([(.source, source)])).mistakes.count == 1)
            #expect(Self.read(Self.head + Self.line([(.source, source), (.id, "")])).mistakes == [])
        }
    }

    @Test(
        "The reader reports a duplicate key or name with both line numbers",
        arguments: [
            ("apple", "pear", "", "the key apple is already on line 2"),
            ("pear", "Apple", "", "\"apple\" is already on line 2"),
            ("pear", "pear", "pome; red-apple", "\"red apple\" is already on line 2"),
            ("pear", "pear", "pome; Pear", "\"pear\" is already on line 3"),
            ("pear", "pear", "apples", "\"apples\" is already on line 2"),
        ])
    func tellsCollisions(_ key: String, _ name: String, _ aliases: String, _ message: String) {
        let file = Self.read(Self.head + Self.line([]) + Self.line([(.key, key), (.name, name), (.aliases, aliases)]))
        #expect(!file.mistakes.isEmpty && file.mistakes.allSatisfy { $0.hasPrefix("Fixtures/data/foods.tsv:3: ") })
        #expect(file.mistakes.contains { $0.contains(message) }, "\(file.mistakes)")
    }

    @Test("The reader reports every error in every invalid line")
    func tellsLines() {
        let apple = Self.line([])
        for (text, lines) in [
            ("", [1]), ("a\n", [1]), (Self.head + "\n", [2]), (Self.head + apple.dropLast(), [1]),
            (Self.head + apple.dropLast() + "\t\n", [2]), (Self.head + "apple\t\tx\n" + apple + "\n", [2, 4]),
            (Self.head + apple.dropLast() + "\r\n", [2]), (Self.head + "# a\n" + apple, [2]),
            (Self.head.replacing("kcal", with: "calories") + apple, [1]),
            (Self.head + Self.line([(.kcal, "x"), (.kind, "x")]), [2, 2]),
        ] as [(String, [Int])] {
            let mistakes = Self.read(text).mistakes
            #expect(
                mistakes.map { $0.split(separator: ":")[1] } == lines.map { "\($0)" }, "\(text.suffix(20)): \(mistakes)"
            )
        }
        let bytes = Array(Self.head.utf8) + [0xFF, 0x0A]
        #expect(
            bytes.withUnsafeBufferPointer { FoodFile($0).mistakes } == [
                "Fixtures/data/foods.tsv:2: the line is not UTF-8"
            ])
    }
}
