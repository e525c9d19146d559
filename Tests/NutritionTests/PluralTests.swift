import Testing

@testable import Nutrition

/// Plurals as people write them, listed by hand and not taken from the table or from `Plural`.
@Suite("Food plurals")
struct PluralTests {
    /// The key of a food and plurals of its names.
    static let plurals: KeyValuePairs<String, String> = [
        "apple": "apples", "banana": "bananas", "orange": "oranges",
        "mandarin": "mandarins, tangerines, clementines, satsumas", "grapefruit": "grapefruits", "lemon": "lemons",
        "lime": "limes", "pear": "pears", "peach": "peaches", "nectarine": "nectarines", "plum": "plums",
        "apricot": "apricots", "cherry": "cherries, sweet cherries", "grape": "grapes, green grapes, red grapes",
        "strawberry": "strawberries", "blueberry": "blueberries", "raspberry": "raspberries",
        "blackberry": "blackberries", "mixed-berry": "berries, mixed berries", "mango": "mangoes",
        "pineapple": "pineapples", "watermelon": "watermelons", "melon": "melons, cantaloupes, honeydews",
        "kiwi": "kiwis, kiwifruits", "avocado": "avocados", "pomegranate": "pomegranates, pomegranate seeds",
        "fig": "figs", "date": "dates, medjool dates", "raisin": "raisins, sultanas", "dried-apricot": "dried apricots",
        "prune": "prunes, dried plums", "cranberry": "cranberries, dried cranberries, craisins", "papaya": "papayas",
        "coconut": "coconuts", "tomato": "tomatoes", "cherry-tomato": "cherry tomatoes, grape tomatoes",
        "cucumber": "cucumbers", "bell-pepper": "bell peppers, red peppers, green peppers, sweet peppers, capsicums",
        "jalapeno": "jalapeños, jalapenos, jalapeno peppers, chili peppers", "onion": "onions, red onions",
        "carrot": "carrots, baby carrots", "celery": "celery sticks, celery stalks",
        "zucchini": "zucchinis, courgettes", "eggplant": "eggplants, aubergines", "mushroom": "mushrooms",
        "asparagus": "asparagus spears, asparagus", "green-bean": "green beans, string beans",
        "pea": "peas, green peas", "corn": "corn, ears of corn", "brussels-sprout": "brussels sprouts, sprouts",
        "potato": "potatoes, new potatoes", "baked-potato": "baked potatoes, jacket potatoes, roast potatoes",
        "mashed-potato": "mashed potatoes", "sweet-potato": "sweet potatoes, yams", "beet": "beets, beetroots",
        "garlic": "garlic cloves", "olive": "olives, green olives, black olives",
        "pickle": "pickles, gherkins, dill pickles", "mixed-vegetable": "vegetables, mixed vegetables, veggies",
        "sweet-potato-fries": "sweet potato fries", "bread": "breads", "whole-wheat-bread": "brown breads",
        "sourdough-bread": "baguettes", "rye-bread": "rye breads", "toast": "toasts",
        "whole-wheat-toast": "whole wheat toasts", "french-toast": "french toasts", "garlic-bread": "garlic breads",
        "pita": "pitas, pittas, pita breads", "naan": "naans, naan breads", "bagel": "bagels",
        "english-muffin": "english muffins", "croissant": "croissants",
        "flour-tortilla": "tortillas, flour tortillas, wraps", "corn-tortilla": "corn tortillas",
        "bread-roll": "bread rolls, dinner rolls, rolls, buns, hamburger buns", "noodle": "noodles, egg noodles",
        "rice-noodle": "rice noodles", "oat": "oats, rolled oats, dry oats", "oatmeal": "porridge oats",
        "corn-flakes": "corn flakes, cornflakes, cereals", "pancake": "pancakes", "waffle": "waffles",
        "cracker": "crackers, saltines", "rice-cake": "rice cakes", "egg": "eggs, whole eggs",
        "scrambled-egg": "scrambled eggs", "fried-egg": "fried eggs, sunny side up eggs, over easy eggs",
        "boiled-egg": "boiled eggs, hard boiled eggs, soft-boiled eggs", "poached-egg": "poached eggs",
        "omelette": "omelettes, omelets", "egg-omelette": "egg omelettes", "egg-white": "egg whites",
        "cheddar": "cheeses, cheddar cheeses", "mozzarella": "mozzarellas", "swiss-cheese": "swiss cheeses",
        "goat-cheese": "goat cheeses", "butter": "butters", "gouda": "goudas", "brie": "bries",
        "blue-cheese": "blue cheeses", "yogurt": "yogurts, yoghurts", "greek-yogurt": "greek yogurts",
        "fruit-yogurt": "fruit yogurts, strawberry yogurts", "ice-cream": "ice creams",
        "whey-protein": "protein shakes", "chicken-breast": "chicken breasts, chicken fillets",
        "chicken-thigh": "chicken thighs", "chicken-drumstick": "chicken drumsticks, drumsticks, chicken legs",
        "chicken-wing": "chicken wings, buffalo wings", "fried-chicken": "fried chicken breasts",
        "chicken-nugget": "chicken nuggets, nuggets, chicken tenders", "turkey-breast": "turkey breasts, turkeys",
        "deli-turkey": "turkey slices", "ground-beef": "hamburger patties, beef patties",
        "steak": "steaks, beef steaks, sirloin steaks, ribeyes, rib eye steaks, T-bone steaks",
        "roast-beef": "roast beef", "beef-jerky": "beef jerkies", "pork-chop": "pork chops, pork loins",
        "bacon": "bacon rashers", "ham": "hams", "sausage": "sausages, pork sausages, breakfast sausages",
        "salami": "salamis", "pepperoni": "pepperonis", "hot-dog-sausage": "frankfurters, wieners, hot dog sausages",
        "lamb": "lamb chops", "meatball": "meatballs", "salmon": "salmon fillets", "smoked-salmon": "smoked salmons",
        "tuna-steak": "tuna steaks", "cod": "cod fillets, fish fillets, fishes", "sardine": "sardines",
        "mackerel": "mackerels", "tilapia": "tilapias", "shrimp": "shrimps, prawns",
        "fish-stick": "fish sticks, fish fingers", "tofu": "tofu", "lentil": "lentils",
        "chickpea": "chickpeas, garbanzos, garbanzo beans", "kidney-bean": "kidney beans, red beans",
        "black-bean": "black beans, beans", "white-bean": "white beans, cannellini beans", "baked-bean": "baked beans",
        "refried-bean": "refried beans", "almond": "almonds", "walnut": "walnuts", "cashew": "cashews, cashew nuts",
        "pistachio": "pistachios, pistachio nuts", "hazelnut": "hazelnuts", "pecan": "pecans", "peanut": "peanuts",
        "mixed-nut": "nuts, mixed nuts", "chia-seed": "chia seeds", "flax-seed": "flax seeds, linseeds",
        "sunflower-seed": "sunflower seeds", "pumpkin-seed": "pumpkin seeds, pepitas", "pizza": "pizzas, cheese pizzas",
        "pepperoni-pizza": "pepperoni pizzas", "hamburger": "hamburgers, burgers, beef burgers",
        "cheeseburger": "cheeseburgers", "veggie-burger": "veggie burgers, veggie patties",
        "hot-dog": "hot dogs, hotdogs", "french-fries": "french fries, fries", "lasagna": "lasagnas, lasagnes",
        "spaghetti-bolognese": "spaghetti and meatballs", "burrito": "burritos", "taco": "tacos, beef tacos",
        "quesadilla": "quesadillas", "nacho": "nachos", "fish-and-chips": "fish and chips, fish & chips",
        "fried-fish": "fried fishes", "sushi": "sushi rolls, california rolls", "chicken-soup": "soups, chicken soups",
        "chili": "chilis, chillis", "chicken-curry": "curries, chicken curries", "beef-stew": "stews",
        "stir-fry": "stir fries, chicken stir fries", "grilled-cheese": "grilled cheese sandwiches, cheese toasties",
        "pbj-sandwich": "peanut butter and jelly sandwiches, PBJs",
        "ham-and-cheese-sandwich": "ham and cheese sandwiches, ham sandwiches",
        "turkey-sandwich": "turkey sandwiches, club sandwiches",
        "chicken-sandwich": "chicken sandwiches, chicken burgers", "tuna-sandwich": "tuna sandwiches",
        "egg-sandwich": "egg sandwiches", "blt": "BLTs, bacon sandwiches",
        "green-salad": "salads, side salads, mixed salads", "caesar-salad": "caesar salads", "falafel": "falafels",
        "spring-roll": "spring rolls, egg rolls", "dumpling": "dumplings, potstickers, gyozas", "samosa": "samosas",
        "sugar": "sugars", "jam": "jams, jellies, marmalades", "milk-chocolate": "chocolates",
        "chocolate-bar": "chocolate bars, candy bars, bars of chocolate", "dark-chocolate": "dark chocolates",
        "chocolate-chip-cookie": "cookies, chocolate chip cookies, biscuits", "oatmeal-cookie": "oatmeal cookies",
        "brownie": "brownies", "donut": "donuts, doughnuts, glazed donuts", "muffin": "muffins, blueberry muffins",
        "chocolate-cake": "cakes, chocolate cakes", "cheesecake": "cheesecakes", "apple-pie": "pies, apple pies",
        "banana-bread": "banana breads", "cinnamon-roll": "cinnamon rolls, cinnamon buns",
        "granola-bar": "granola bars, cereal bars, muesli bars", "protein-bar": "protein bars, energy bars",
        "potato-chip": "potato chips, chips, crisps", "tortilla-chip": "tortilla chips, corn chips, nacho chips",
        "pretzel": "pretzels", "gummy-candy": "gummy bears, candies", "espresso": "espressos",
        "latte": "lattes, flat whites", "cappuccino": "cappuccinos", "coffee": "coffees, americanos",
        "tea": "teas, green teas", "smoothie": "smoothies", "milkshake": "milkshakes", "cola": "colas, cokes, sodas",
        "diet-cola": "diet cokes, diet sodas", "beer": "beers, lagers", "red-wine": "wines, red wines",
        "white-wine": "white wines", "energy-drink": "energy drinks", "orange-juice": "orange juices",
        "olive-oil": "olive oils, oils", "soy-sauce": "soy sauces", "gravy": "gravies",
    ]

    @Test("The parser reads the plural of each food", arguments: plurals)
    func isRead(_ key: String, _ names: String) {
        for name in names.split(separator: ", ") {
            let meal = MealParser.parse("2 \(name)")
            #expect(meal.items.map(\.foodKey) == [key], "\(name)")
            #expect((meal.items.first?.quantity, meal.unknown) == (2, []), "\(name)")
        }
    }

    @Test("The food table has a plural for every food counted in pieces or slices")
    func isComplete() {
        let listed = Set(Self.plurals.map(\.key))
        #expect(listed.count == Self.plurals.count)
        for food in FoodTable.foods where food.portions[.pieces] != nil || food.portions[.slices] != nil {
            #expect(listed.contains(food.key), "\(food.key)")
        }
    }

    @Test(
        "The parser reads foods whose singular and plural are the same",
        arguments: ["hummus", "asparagus", "couscous", "corn flakes"])
    func staysAsItIs(_ name: String) { #expect(Plural.of(name) == name) }
}
