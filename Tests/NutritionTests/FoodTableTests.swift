import Testing

@testable import Nutrition

@Suite("The food table")
struct FoodTableTests {
    @Test("The food table has enough foods, and each key is a unique slug")
    func keys() {
        let keys = FoodTable.foods.map(\.key)
        #expect(keys.count >= 140)
        #expect(Set(keys).count == keys.count)
        for key in keys { #expect(key.allSatisfy { $0 == "-" || ("a"..."z").contains($0) }, "\(key)") }
    }

    @Test("Food names are unique")
    func names() {
        var owners: [String: String] = [:]
        for food in FoodTable.foods {
            for name in food.names.map({ Lexer.words(of: $0).joined(separator: " ") }) {
                #expect(owners[name] == nil, "\(name): \(food.key) and \(owners[name] ?? "")")
                owners[name] = food.key
            }
        }
    }

    @Test("The parser reads each food's name, singular or plural, as that food", arguments: FoodTable.foods.map(\.key))
    func readsItsNames(_ key: String) throws {
        let food = try #require(FoodTable.foods.first { $0.key == key })
        for name in food.names {
            let singular = Lexer.words(of: name).joined(separator: " ")
            for text in [name, singular, Plural.of(singular), "2 \(Plural.of(singular))", name.uppercased()] {
                let meal = MealParser.parse(text)
                #expect(meal.items.map(\.foodKey) == [key], "\(text)")
                #expect(meal.unknown == [], "\(text)")
            }
        }
    }

    @Test("A food's calories agree with its macronutrients")
    func energy() {
        for food in FoodTable.foods where food.kind != .alcohol {
            let facts = food.per100Grams
            let computed = 4 * facts.protein + 4 * facts.carbs + 9 * facts.fat - 2 * facts.fiber
            // Sources use factors that are specific to the food, organic acids count for less, and so on.
            #expect(abs(computed - facts.calories) <= max(20, 0.12 * facts.calories), "\(food.key): \(computed)")
        }
    }

    @Test("Alcoholic drinks have more calories than their macronutrients and fewer than pure alcohol")
    func alcohol() {
        let drinks = FoodTable.foods.filter { $0.kind == .alcohol }
        #expect(drinks.count >= 5)
        for food in drinks {
            let facts = food.per100Grams
            let rest = facts.calories - 4 * facts.protein - 4 * facts.carbs - 9 * facts.fat
            #expect(rest > 10 && rest < 700, "\(food.key)")
        }
    }

    @Test("Every value is positive or zero, and every part is at most the whole")
    func masses() {
        for food in FoodTable.foods {
            let facts = food.per100Grams
            let all = [facts.calories, facts.protein, facts.carbs, facts.fat, facts.fiber, facts.sugar]
            #expect(all.allSatisfy { $0 >= 0 && $0 <= 902 }, "\(food.key)")
            #expect(facts.protein + facts.carbs + facts.fat <= 101, "\(food.key)")
            // Carbohydrate is computed by difference, but fiber and sugar are measured, so they may disagree by a few
            // tenths.
            #expect(facts.fiber + facts.sugar <= facts.carbs + 0.7, "\(food.key)")
        }
    }

    @Test("Servings have a weight, and the facts on a label are close to the source's facts")
    func portions() {
        for food in FoodTable.foods {
            let weights = [food.serving.grams] + food.portions.values + food.sizes.values
            #expect(weights.allSatisfy { $0 > 0 && $0 < 5000 }, "\(food.key)")
            #expect(!food.serving.name.isEmpty && !food.source.food.isEmpty, "\(food.key)")
            #expect(food.portions.keys.allSatisfy { $0.grams == nil && $0 != .servings }, "\(food.key)")
            if let label = food.label {
                let facts = food.per100Grams.facts(ofGrams: food.serving.grams)
                #expect(abs(label.calories - facts.calories) <= 5, "\(food.key)")
                #expect(abs(label.proteinTenths - facts.proteinTenths) <= 5, "\(food.key)")
                #expect(abs(label.fatTenths - facts.fatTenths) <= 5, "\(food.key)")
                #expect(abs(label.carbsTenths - facts.carbsTenths) <= 5, "\(food.key)")
            }
            if let cup = food.portions[.cups], let spoon = food.portions[.tablespoons] {
                #expect((10...24).contains(cup / spoon), "\(food.key): a cup is about 16 tablespoons")
            }
            let sizes = [food.sizes[.small], food.sizes[.medium], food.sizes[.large]].compactMap { $0 }
            #expect(sizes == sizes.sorted(), "\(food.key)")
        }
    }

    @Test("FoodData Central ids are in the range of SR Legacy")
    func ids() {
        var count = 0
        for food in FoodTable.foods {
            guard food.source.database == .srLegacy, let id = food.source.id else { continue }
            count += 1
            #expect((167_512...175_304).contains(id), "\(food.key)")
        }
        #expect(count >= 80)
    }
}
