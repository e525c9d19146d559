import FitIQAPI
import Testing

@testable import Nutrition

/// Readings as ``ParsedMeal/reading`` prints them, with the texts that are read so.
@Suite("Reading")
struct ReadingTests {
    @Test("The parser reads digits, words, fractions, ranges and multipliers as numbers", arguments: numbers)
    func readsNumbers(_ meal: ReadMeal) { meal.check() }

    static let numbers = ReadMeal.table([
        "egg 1 pieces = 70 kcal": ["1 egg", "one egg"],
        "egg 12 pieces = 840 kcal": ["12 eggs", "Twelve eggs", "a dozen eggs", "dozen eggs"],
        "banana 2.5 pieces = 263 kcal": ["2.5 bananas", "two and a half bananas"],
        "avocado 0.5 pieces = 161 kcal": [
            ".5 avocado", "0.5 avocado", "half an avocado", "half avocado", "half of an avocado", "a half avocado",
            "1/2 avocado", "1 / 2 avocado", "½ avocado",
        ],
        "rice 1.5 cups = 308 kcal": [
            "1,5 cups rice", "1 1/2 cups of rice", "1½ cups rice", "1-1/2 cups rice", "one and a half cups of rice",
            "1 cup and a half of rice",
        ],
        "egg 1.75 pieces = 123 kcal": ["1,5-2 eggs"], "rice 1000 grams = 1300 kcal": ["1,000 g rice"],
        "rice 1250.5 grams = 1626 kcal": ["1,250.5 g rice"],
        "egg 2 pieces = 140 kcal": [
            "two eggs", "a couple of eggs", "a couple eggs", "a pair of eggs", "２ eggs", "2x eggs", "2 x eggs",
            "2× eggs", "x2 eggs",
        ],
        "almond 20 pieces = 139 kcal": ["twenty almonds"],
        "almond 25 pieces = 174 kcal": ["twenty five almonds", "twenty-five almonds"],
        "almond 99 pieces = 688 kcal": ["ninety nine almonds"],
        "rice 100 grams = 130 kcal": ["a hundred grams of rice"],
        "chicken-breast 120 grams = 198 kcal": ["one hundred and twenty grams of chicken breast"],
        "rice 101 grams = 131 kcal": ["a hundred and one grams of rice"],
        "rice 155 grams = 202 kcal": ["a hundred and fifty five grams of rice"],
        "rice 250 grams = 325 kcal": ["two hundred fifty g rice"],
        "rice 125 grams = 163 kcal": ["one hundred twenty five grams of rice", "100-150g rice"],
        "banana 1 pieces = 105 kcal": ["a banana"], "apple 1 pieces = 95 kcal": ["an apple"],
        "bagel 0.5 pieces = 139 kcal": ["half a bagel"], "pizza 0.25 pieces = 569 kcal": ["a quarter of a pizza"],
        "pizza 0.33 pieces = 759 kcal": ["a third of a pizza"],
        "yogurt 0.75 cups = 112 kcal": ["three quarters of a cup of yogurt"],
        "oat 0.67 cups = 205 kcal": ["two thirds of a cup of oats"], "milk 0.5 cups = 74 kcal": ["1⁄2 cup milk"],
        "blueberry 0.75 cups = 63 kcal": ["¾ cup blueberries"], "oat 0.33 cups = 102 kcal": ["⅓ cup oats"],
        "milk 2.5 cups = 372 kcal": ["2 ½ cups milk", "2 and 1/2 cups of milk", "2 and a half cups of milk"],
        "banana 1.5 pieces = 158 kcal": ["3/2 bananas", "one or two bananas"],
        "egg 6 pieces = 420 kcal": ["half a dozen eggs"], "egg 24 pieces = 1680 kcal": ["two dozen eggs"],
        "almond 3 pieces = 21 kcal": ["a few almonds", "few almonds"],
        "strawberry 4 pieces = 15 kcal": ["several strawberries"], "egg 3 pieces = 210 kcal": ["٣ eggs"],
        "egg 2.5 pieces = 175 kcal": [
            "2-3 eggs", "2–3 eggs", "2 to 3 eggs", "2 or 3 eggs", "two to three eggs", "between 2 and 3 eggs",
        ],
        "egg 1.5 pieces = 105 kcal": ["1 - 2 eggs"], "chicken-breast 240 grams = 396 kcal": ["2 x 120g chicken breast"],
    ])

    @Test("The parser reads units of mass, volume and count, attached or separate", arguments: units)
    func readsUnits(_ meal: ReadMeal) { meal.check() }

    static let units = ReadMeal.table([
        "chicken-breast 120 grams = 198 kcal": [
            "120g chicken breast", "120 g chicken breast", "120 gr chicken breast", "120 grams of chicken breast",
        ],
        "chicken-breast 0.12 kilograms = 198 kcal": ["0.12 kg chicken breast"],
        "potato 1 kilograms = 860 kcal": ["1kg potatoes", "1 kilo of potatoes"],
        "sugar 500 milligrams = 2 kcal": ["500mg sugar"],
        "steak 6 ounces = 446 kcal": ["6 oz steak", "6oz steak", "6 ounces of steak"],
        "steak 8 ounces = 594 kcal": ["8-oz steak"], "salmon 5 ounces = 292 kcal": ["5 oz. salmon"],
        "ground-beef 1 pounds = 1234 kcal": ["1 lb ground beef"], "potato 2 pounds = 780 kcal": ["2 lbs potatoes"],
        "shrimp 0.5 pounds = 225 kcal": ["half a pound of shrimp"],
        "orange-juice 200 milliliters = 99 kcal": ["200 ml orange juice"],
        "beer 33 centiliters = 142 kcal": ["33cl beer"], "milk 2 deciliters = 126 kcal": ["2 dl milk"],
        "milk 1 liters = 629 kcal": ["1l milk"], "water 1.5 liters = 0 kcal": ["1.5 liters of water"],
        "milk 0.5 liters = 315 kcal": ["half a litre of milk"],
        "milk 8 fluid ounces = 149 kcal": ["8 fl oz milk", "8 fl. oz. milk", "8 fluid ounces of milk", "8 oz milk"],
        "milk 1 fluid ounces = 19 kcal": ["a fluid ounce of milk"],
        "rice 1 cups = 205 kcal": ["1 cup rice", "1 c rice"], "broccoli 2 cups = 109 kcal": ["2 cups of broccoli"],
        "coffee 1 cups = 2 kcal": ["1 mug of coffee"],
        "olive-oil 2 tablespoons = 239 kcal": ["2 tbsp olive oil", "2 tablespoons olive oil"],
        "butter 2 tablespoons = 204 kcal": ["2 T butter"],
        "sugar 2 teaspoons = 33 kcal": ["2 t sugar", "2 level teaspoons sugar"],
        "sugar 1 teaspoons = 16 kcal": ["1 tsp sugar"],
        "peanut-butter 1 tablespoons = 96 kcal": ["1 heaped tablespoon of peanut butter"],
        "milk 4 tablespoons = 37 kcal": ["4 tbsp milk"], "milk 6 teaspoons = 19 kcal": ["6 tsp milk"],
        "beer 1 pints = 204 kcal": ["1 pint beer"], "milk 1 pints = 298 kcal": ["a pint of milk"],
        "spirit 1 shots = 97 kcal": ["a shot of vodka"], "espresso 2 shots = 5 kcal": ["2 shots of espresso"],
        "bread 2 slices = 154 kcal": ["2 slices bread"], "pizza 2 slices = 569 kcal": ["2 large slices of pizza"],
        "bacon 2 slices = 77 kcal": ["2 slices of bacon"],
        "milk-chocolate 3 pieces = 112 kcal": ["3 pieces of chocolate"],
        "chicken-nugget 2 pieces = 98 kcal": ["2 pcs chicken nuggets"],
        "garlic 3 pieces = 13 kcal": ["3 cloves of garlic"], "celery 2 pieces = 11 kcal": ["2 stalks of celery"],
        "oatmeal 1 bowls = 249 kcal": ["1 bowl of oatmeal"],
        "milk 1 glasses = 151 kcal": ["a glass of milk", "glass of milk"],
        "red-wine 1 glasses = 125 kcal": ["a glass of red wine"],
        "cola 1 cans = 155 kcal": ["a can of coke", "can of coke"], "tuna 1 cans = 142 kcal": ["a can of tuna"],
        "beer 1 bottles = 153 kcal": ["1 bottle of beer"], "water 1 bottles = 0 kcal": ["a bottle of water"],
        "almond 1 handfuls = 162 kcal": ["a handful of almonds", "handful almonds"],
        "spinach 2 handfuls = 14 kcal": ["2 handfuls of spinach"],
        "ice-cream 1 scoops = 137 kcal": ["1 scoop ice cream"],
        "whey-protein 2 scoops = 225 kcal": ["2 scoops of whey protein"],
        "popcorn 1 servings = 93 kcal": ["a bag of popcorn"],
        "dark-chocolate 2 pieces = 120 kcal": ["2 squares of dark chocolate"],
        "lasagna 1 servings = 267 kcal": ["1 serving of lasagna"],
        "french-fries 2 servings = 730 kcal": ["2 portions of fries"],
        "pasta 1 servings = 196 kcal": ["a plate of pasta"], "bacon 1 slices = 39 kcal": ["slices of bacon"],
        "milk 2 servings = 298 kcal": ["2 slices of milk"], "steak 100 milliliters = 262 kcal": ["100 ml steak"],
        "hummus 2 servings = 142 kcal": ["2 bottles of hummus"],
        // The facts on a label apply to its serving, not to a weight.
        "egg 100 grams = 143 kcal": ["100 g eggs"], "egg 1 servings = 70 kcal": ["1 serving of eggs"],
        "egg 2 pieces = 140 kcal": ["2 pieces of egg"], "egg 2 servings = 140 kcal": ["2 bottles of eggs"],
    ])

    @Test("The parser adds several terms to one amount", arguments: sums)
    func readsSums(_ meal: ReadMeal) { meal.check() }

    static let sums = ReadMeal.table([
        "chicken 1.25 pounds = 1077 kcal": [
            "1 lb 4 oz chicken", "1 lb, 4 oz chicken", "chicken 1 lb 4 oz", "chicken (1 lb 4 oz)",
        ],
        "potato 4.13 pounds = 1609 kcal": ["4lb 2oz potatoes"],
        "chicken 1.2 kilograms = 2280 kcal": ["1 kg 200 g chicken"],
        "chicken 2.5 pounds = 2155 kcal": ["2 x 1 lb 4 oz chicken"], "rice 250 grams = 325 kcal": ["200 g + 50 g rice"],
        "rice 208 grams = 270 kcal": ["50g + 1 cup rice"], "egg 3 pieces = 210 kcal": ["2 + 1 eggs"],
        "olive-oil 1.13 cups = 2148 kcal": ["1 cup plus 2 tablespoons olive oil"],
        "olive-oil 1.33 tablespoons = 159 kcal": ["1 tbsp+ 1 tsp olive oil"],
        "sugar 1.33 tablespoons = 65 kcal": ["1 Tablespoon and 1 teaspoon sugar"],
        // The last term belongs to the food after it.
        "rice 1 cups, butter 2 tablespoons = 409 kcal": ["rice 1 cup and 2 tbsp butter"],
        "milk 1 cups, honey 2 tablespoons = 277 kcal": ["1 cup milk plus 2 tablespoons honey"],
        "egg 2 pieces = 140 kcal; unknown: 1 cup": ["1 cup + 2 eggs"],
    ])

    @Test("The parser reads parts, multiples and lists", arguments: parts)
    func readsParts(_ meal: ReadMeal) { meal.check() }

    static let parts = ReadMeal.table([
        "honey 0.33 cups = 344 kcal": ["1/3rd cup honey"], "rice 0.25 cups = 51 kcal": ["1/4th cup rice"],
        "rice 0.67 cups = 137 kcal": ["2/3rd cup rice"], "rice 1.33 cups = 274 kcal": ["1 1/3rd cups rice"],
        "pizza 0.13 pieces = 285 kcal": ["an eighth of a pizza"],
        "pizza 0.4 pieces = 911 kcal": ["two fifths of a pizza"], "pizza 0.5 pieces = 1138 kcal": ["50% of a pizza"],
        "pizza 10 pieces = 22770 kcal": ["1,000% of a pizza"],
        "pizza 0.25 pieces = 569 kcal": ["25 % of a pizza", "25 percent of a pizza"],
        "reduced-fat-milk 1 servings = 122 kcal": ["2 % milk"], "avocado 0.5 pieces = 161 kcal": ["0.5 of an avocado"],
        "rice 0.33 cups = 68 kcal": ["third of a cup of rice"],
        "rice 1.75 cups = 359 kcal": ["one and three quarters cups of rice"],
        "avocado 1 pieces = 322 kcal": ["half of 2 avocados"],
        "pizza 2 slices = 569 kcal": ["2 out of 8 slices of a pizza", "pizza x 2 slices"],
        "egg 3 pieces = 210 kcal": ["3 out of 3 eggs"],
        "pizza 1 slices = 285 kcal": ["1 slice of a pizza"], "chicken 200 grams = 380 kcal": ["chicken x 200g"],
        "rice 1.5 cups = 308 kcal": ["rice x 1.5 cups"],
        "chicken 400 grams = 760 kcal": ["2 chicken x 200g", "200g x 2 chicken"],
        "rice 200 grams = 260 kcal": ["2 servings of 100g rice"],
        "rice 2 cups = 411 kcal": ["a couple of cups of rice"],
        "rice 200 grams, black-bean 200 grams = 522 kcal": [
            "200g each of rice and beans", "rice and beans, 200g each",
        ],
        "egg 180 grams = 257 kcal": ["3 eggs at 60 g", "3 eggs à 60 g", "3 eggs @ 60g", "3 eggs (each 60 g)"],
        "egg 60 grams = 86 kcal": ["3 eggs (60 g)"],
        "coffee 1 servings, egg 2 pieces = 142 kcal": ["coffee at 8, 2 eggs at 9"],
        "milk 1 quarts = 595 kcal": ["1 quart of milk"], "milk 1 gallons = 2381 kcal": ["a gallon of milk"],
        "rice 100 grams = 130 kcal": ["100 grs rice", "100g (1 cup) rice"],
        "bread 1 loaves = 1208 kcal": ["a loaf of bread"], "egg 12 pieces = 840 kcal": ["a doz eggs"],
    ])

    @Test("The parser distinguishes a size from a count and uses a stated energy value", arguments: sizes)
    func readsSizes(_ meal: ReadMeal) {
        meal.check()
        // Assumptions are noted.
        for item in MealParser.parse(meal.text).items { #expect(item.confidence <= 0.85 && item.notes != nil) }
    }

    static let sizes = ReadMeal.table([
        "pizza 1 slices = 285 kcal": ["1 slice of a 14 inch pizza"],
        "pizza 1 pieces = 2277 kcal": ["12\" pizza", "9½\" pizza", "12in pizza", "30 cm pizza"],
        "flour-tortilla 2 pieces = 300 kcal": ["2 (6 inch) tortillas"],
        "chocolate-chip-cookie 1 pieces = 74 kcal": ["1 3-inch cookie"],
        "brownie 1 pieces = 227 kcal": ["8x8 inch brownie"], "pizza 2 slices = 569 kcal": ["14-inch pizza, 2 slices"],
        "rice 76.92 grams = 100 kcal": ["100kcal of rice"], "rice 36.77 grams = 48 kcal": ["200 kJ rice"],
        "almond 25.91 grams = 150 kcal": ["almonds 150 kcal"], "apple 1 pieces = 80 kcal": ["1 apple (80 cal)"],
        "chocolate-chip-cookie 2 pieces = 300 kcal": ["2 cookies (150 cal each)"],
        "muffin 1 pieces = 200 kcal": ["a 200-calorie muffin"],
        // Ten cups of coffee are unlikely.
        "coffee 1 servings = 2 kcal": ["coffee 100 kcal"], "egg 2 pieces = 140 kcal; unknown: 3": ["2 eggs 3"],
        "rice 200 grams = 260 kcal; unknown: 50g": ["rice 200g 50g"],
        "butter 2 pieces = 1626 kcal; unknown: firkins": ["2 firkins of butter"],
        "granola 15 grams = 73 kcal; unknown: JORDANS, naturel": [
            "15 gram of granola from JORDANS Crunchy naturel granola"
        ],
    ])

    @Test("The parser assigns an amount to the food after it or before it", arguments: places)
    func readsPlaces(_ meal: ReadMeal) { meal.check() }

    static let places = ReadMeal.table([
        "egg 2 pieces = 140 kcal": [
            "eggs x2", "eggs x 2", "eggs ×2", "eggs 2", "eggs: 2", "eggs - 2", "eggs (2)", "eggs, 2", "2,, eggs",
        ],
        "chicken-breast 120 grams = 198 kcal": [
            "chicken breast 120g", "chicken breast: 120 g", "chicken breast (120g)", "chicken breast, 120g",
            "chicken breast - 120g",
        ],
        "rice 1 cups = 205 kcal": ["rice (1 cup)"],
        "rice 1 cups, black-bean 2 cups = 656 kcal": ["rice, 1 cup, beans, 2 cups"],
        "chicken-breast 120 grams, rice 1 cups = 403 kcal": ["chicken breast 120g rice 1 cup"],
        "egg 2 pieces, bacon 2 slices, coffee 1 cups = 219 kcal": ["2 eggs 2 slices of bacon 1 cup coffee"],
        "toast 1 servings, egg 2 pieces = 290 kcal": ["toast 2 eggs"],
        "egg 1 servings, toast 2 slices = 220 kcal": ["eggs 2 slices toast", "eggs no butter x2 toast"],
        "pizza 2 slices = 569 kcal": ["2 pizza slices"], "bread 3 slices = 231 kcal": ["3 bread slices"],
        "chicken-breast 240 grams = 396 kcal": [
            "2 chicken breasts (120g each)", "2 chicken breasts (240g)", "2 chicken breasts, 120g each",
            "2 (120g) chicken breasts",
        ],
        "egg-omelette 3 pieces = 282 kcal": ["3-egg omelette"],
        "egg-omelette 2 pieces, cheddar 1 servings = 301 kcal": ["2-egg omelette with cheese"],
        "egg 1 pieces, egg 2 pieces = 210 kcal": ["one egg two eggs"],
        "chicken 1 servings, rice 1 servings = 367 kcal": ["chicken rice"],
        "apple 1 servings, honey 1 servings = 159 kcal": ["apple slices with honey"],
        "cola 330 milliliters = 145 kcal": ["330ml can of coke", "1 x 330ml can of coke"],
        "cola 660 milliliters = 291 kcal": ["2 330ml cans of coke"],
        "rice 200 grams = 260 kcal": ["a 200g bowl of rice"], "steak 12 ounces = 891 kcal": ["a 12 oz steak"],
        "beer 24 fluid ounces = 306 kcal": ["two 12 oz beers"],
        "chicken 200 grams, rice 150 grams, broccoli 100 grams = 610 kcal": ["chicken 200g rice 150g broccoli 100g"],
        "milk 240 milliliters = 151 kcal": ["1 cup (240ml) milk"],
        "egg 2 pieces, toast 1 slices = 215 kcal": ["2eggs,1toast"],
        "chicken 200 grams, rice 150 grams = 575 kcal": ["lunch: chicken 200g; rice 150g"],
        "egg 4 pieces = 280 kcal": ["eggs x2 x2"], "steak 8 ounces = 594 kcal": ["steak, 8-oz"],
        "toast 1 servings, butter 10 grams = 222 kcal": ["toast 10 g of butter"],
        "toast 1 servings, salmon 5 ounces = 442 kcal": ["toast, 5 oz. salmon"],
        "egg 2 pieces, bacon 1 slices = 179 kcal": ["2 eggs slices of bacon", "2 eggs slices bacon"],
        "avocado 0.5 pieces, toast 1 servings = 311 kcal": ["avocado half, toast"],
        // A second, different weight is not dropped silently.
        "chicken 200 grams = 380 kcal; unknown: 100g": ["chicken 200g (100g)"],
    ])

    @Test("The parser prefers the longest food name, including its separators", arguments: names)
    func readsNames(_ meal: ReadMeal) { meal.check() }

    static let names = ReadMeal.table([
        "chocolate-bar 1 servings = 235 kcal": ["bar of chocolate"], "steak 2 pieces = 891 kcal": ["2 T bone steaks"],
        "steak 1 servings = 445 kcal": ["ribeye steak"],
        "stir-fry 1 servings = 206 kcal": ["veggie stir fry", "stir-fry"],
        "bacon 1 servings = 116 kcal": ["bacon rashers"],
        "mac-and-cheese 1 servings = 162 kcal": [
            "mac and cheese", "mac & cheese", "mac n cheese", "macaroni and cheese",
        ],
        "pbj-sandwich 1 servings = 361 kcal": ["peanut butter and jelly sandwich", "pb and j"],
        "fish-and-chips 1 servings = 765 kcal": ["fish and chips"],
        "ham-and-cheese-sandwich 1 servings = 311 kcal": ["ham and cheese sandwich"],
        "ham 1 servings, cheddar 1 servings = 205 kcal": ["ham and cheese"],
        "half-and-half 1 servings = 20 kcal": ["half and half"],
        "coffee-with-milk 1 servings = 17 kcal": ["coffee with milk", "coffee and milk"],
        "tea-with-milk 1 servings = 17 kcal": ["tea with milk"],
        "spaghetti-bolognese 1 servings = 223 kcal": ["spaghetti with meat sauce", "spaghetti and meatballs"],
        "corn 1 servings = 99 kcal": ["corn on the cob"], "salt 1 servings = 0 kcal": ["salt and pepper"],
        "chicken-breast 1 servings = 198 kcal": ["chicken breast", "grilled chicken breast"],
        "chicken 1 servings = 162 kcal": ["chicken"], "chicken-soup 1 servings = 131 kcal": ["chicken soup"],
        "orange-juice 1 servings = 117 kcal": ["orange juice", "OJ"], "orange 1 servings = 62 kcal": ["orange"],
        "orange 1 servings, egg 1 servings = 132 kcal": ["orange egg"],
        "peanut-butter 1 servings = 191 kcal": ["peanut butter"], "butter 1 servings = 102 kcal": ["butter"],
        "apple-pie 1 servings = 370 kcal": ["apple pie"], "apple 1 servings = 95 kcal": ["apple"],
        "sweet-potato 1 servings = 103 kcal": ["sweet potato"],
        "sweet-potato-fries 1 servings = 183 kcal": ["sweet potato fries"],
        "egg-white 1 servings = 17 kcal": ["egg white"], "rice-cake 1 servings = 35 kcal": ["rice cake"],
        "fried-rice 1 servings = 238 kcal": ["fried rice"], "cream-cheese 1 servings = 51 kcal": ["cream cheese"],
        "ice-cream 1 servings = 137 kcal": ["ice cream", "icecream"],
        "hot-dog 1 servings = 290 kcal": ["hot dog", "hot-dog"],
        "hot-chocolate 1 servings = 180 kcal": ["hot chocolate"],
        "grilled-cheese 1 servings = 408 kcal": ["grilled cheese"],
        "egg-sandwich 1 servings = 400 kcal": ["fried egg sandwich", "hard boiled egg sandwich"],
        "fried-chicken 1 servings = 364 kcal": ["fried chicken breast"],
        "avocado 1 servings, toast 1 servings = 310 kcal": ["avocado toast"],
        "peanut-butter 1 servings, toast 1 servings = 341 kcal": ["peanut butter toast"],
        "blt 1 servings = 379 kcal": ["BLT"],
        "reduced-fat-milk 1 servings = 122 kcal": ["2% milk", "2%milk", "2 percent milk", "semi-skimmed milk"],
        "toast 2 slices, egg 2 pieces = 290 kcal": ["2 toast slices 2 eggs"],
        "low-fat-milk 1 servings = 105 kcal": ["1% milk"],
        "skim-milk 1 servings = 83 kcal": ["skim milk", "fat free milk"],
        "diet-cola 1 servings = 7 kcal": ["diet coke", "coke zero"],
        "whole-wheat-toast 1 servings = 81 kcal": ["whole-wheat toast", "whole wheat toast"],
        "yogurt 1 servings = 149 kcal": ["yoghurt"], "shrimp 1 servings = 84 kcal": ["prawns"],
        "oatmeal 1 servings = 166 kcal": ["porridge"], "eggplant 1 servings = 33 kcal": ["aubergine"],
        "zucchini 1 servings = 33 kcal": ["courgette"],
    ])

    @Test("The parser uses adjectives to choose the food or its size", arguments: adjectives)
    func readsAdjectives(_ meal: ReadMeal) { meal.check() }

    static let adjectives = ReadMeal.table([
        "scrambled-egg 2 pieces = 182 kcal": ["2 scrambled eggs"], "egg 2 pieces = 140 kcal": ["2 large eggs"],
        "egg 2 pieces = 109 kcal": ["2 small eggs"], "egg 2 pieces = 126 kcal": ["2 medium eggs"],
        "scrambled-egg 3 pieces = 273 kcal": ["3 large scrambled eggs"],
        "fried-egg 2 pieces = 180 kcal": ["2 fried eggs"],
        "boiled-egg 2 pieces = 155 kcal": ["2 boiled eggs", "2 hard-boiled eggs"],
        "poached-egg 1 servings = 72 kcal": ["poached eggs"],
        "scrambled-egg 1 servings = 91 kcal": ["eggs, scrambled", "eggs (scrambled)", "eggs scrambled"],
        "chicken-breast 1 servings = 198 kcal": ["chicken breast, grilled", "roasted chicken breast"],
        "rice 1 servings = 205 kcal": ["steamed rice"], "potato 1 servings = 144 kcal": ["boiled potatoes"],
        "mashed-potato 1 servings = 239 kcal": ["mashed potatoes"],
        "baked-potato 1 servings = 161 kcal": ["baked potato"], "carrot 1 servings = 25 kcal": ["raw carrots"],
        "coffee 1 servings = 2 kcal": ["iced coffee", "black coffee"],
        "french-fries 1 pieces = 480 kcal": ["large fries"], "banana 1 pieces = 90 kcal": ["a small banana"],
        "apple 2 pieces = 232 kcal": ["2 large apples"], "latte 1 servings = 155 kcal": ["a large latte"],
        "mushroom 1 servings = 15 kcal": ["sauteed mushrooms"],
        "toast 1 servings = 150 kcal": ["buttered toast", "gluten-free toast"],
        "cheddar 1 servings = 113 kcal": ["low-fat cheddar"],
        "dark-chocolate 20 grams = 120 kcal": ["70% dark chocolate 20 g"],
        "dark-chocolate 10 grams = 60 kcal": ["10 g dark chocolate (70%)"],
        "coffee 1 servings = 2 kcal; unknown: gum": ["sugar-free gum and coffee"],
        // Up to four words may stand between an article and the food that it counts.
        "egg 1 pieces = 70 kcal": ["a hot cold red green egg"],
        "egg 1 servings = 70 kcal": ["a hot cold red green chopped egg"],
        "fried-egg 1 servings = 90 kcal": ["hot cold red green fried egg"],
    ])

    @Test("The parser splits foods at separators", arguments: separators)
    func readsSeparators(_ meal: ReadMeal) { meal.check() }

    static let separators = ReadMeal.table([
        "egg 1 servings, toast 1 servings = 220 kcal": [
            "eggs and toast", "eggs with toast", "eggs plus toast", "eggs & toast", "eggs + toast", "eggs+toast",
            "eggs, toast", "eggs,toast", "eggs; toast", "eggs\ntoast", "eggs. toast", "eggs then toast", "eggs / toast",
            "eggs/toast", "eggs — toast", "eggs, and toast", "eggs on toast", "1) eggs\n2) toast",
        ],
        "avocado 1 servings, toast 1 servings = 310 kcal": ["avocado on toast"],
        "french-fries 1 servings = 365 kcal": ["a side of fries"],
        "steak 1 servings, french-fries 1 servings = 810 kcal": ["steak with a side of fries"],
        "hamburger 1 servings, green-salad 1 servings = 304 kcal": ["burger and a side salad"],
        "egg 2 pieces, toast 1 servings, butter 1 servings, coffee 1 servings = 394 kcal": [
            "2 eggs, toast w/ butter; coffee"
        ],
        "egg 2 pieces, toast 1 servings = 290 kcal": [
            "- 2 eggs\n- toast", "* 2 eggs\n* toast", "• 2 eggs\n• toast", "1. 2 eggs\n2. toast",
            "- 1. 2 eggs\n- 2. toast",
        ],
        "tuna 1 servings = 142 kcal": ["tuna in water"],
        "egg 2 pieces, butter 1 servings = 242 kcal": ["2 eggs in butter"],
        "milk-chocolate 1 servings, milk 1 servings = 384 kcal": ["milk chocolate and milk"],
    ])

    @Test("The parser ignores case, accents, quotes, emoji and plurals", arguments: spelling)
    func readsSpelling(_ meal: ReadMeal) { meal.check() }

    static let spelling = ReadMeal.table([
        "jalapeno 1 servings = 4 kcal": ["jalapen\u{303}o", "jalapeño", "jalapeños"],
        "sour-cream 1 servings = 24 kcal": ["cre\u{300}me frai\u{302}che", "crème fraîche", "CRÈME FRAÎCHE"],
        "egg 1 servings = 70 kcal": ["EGGS", "Eggs", "eGgS"],
        "egg 1 servings = 70 kcal; unknown: m, ms": ["m&ms and eggs"],
        "egg 2 pieces, toast 1 servings = 290 kcal": ["“2 eggs” and ‘toast’", "2  eggs   and    toast"],
        "chicken-breast 120 grams = 198 kcal": ["１２０ｇ　ｃｈｉｃｋｅｎ　ｂｒｅａｓｔ"],
        "goat-cheese 1 servings = 74 kcal": ["goat’s cheese"],
        "egg 2 pieces, avocado 1 servings = 300 kcal": ["2 eggs🍳 and 🥑 avocado"], "nothing": ["🍳🥓"],
        "egg 2 pieces = 140 kcal": ["2 eggs!", "2 eggs?", "2 eggs..."],
        "egg 2 pieces = 140 kcal; unknown: yum": ["2 eggs (yum)"], "cherry 1 servings = 98 kcal": ["cherries"],
        "strawberry 1 servings = 46 kcal": ["strawberries"], "tomato 1 servings = 22 kcal": ["tomatoes"],
        "potato 1 servings = 144 kcal": ["potatoes"], "mango 1 servings = 99 kcal": ["mangoes"],
        "nothing; unknown: sandwiches": ["sandwiches"], "peach 1 servings = 69 kcal": ["peaches"],
        "nothing; unknown: radishes, dishes": ["radishes and dishes"],
    ])

    @Test("The parser ignores filler words", arguments: fillers)
    func readsFillers(_ meal: ReadMeal) { meal.check() }

    static let fillers = ReadMeal.table([
        "egg 2 pieces = 140 kcal": [
            "I had 2 eggs for breakfast", "2 eggs please", "this morning: 2 eggs", "2 eggs at 8 am",
            "at 8 I had 2 eggs", "at 8:30 2 eggs", "2 eggs (140 kcal)", "I can eat 2 eggs",
        ],
        "banana 1 pieces = 105 kcal": ["For lunch I ate a banana"],
        "coffee 1 servings = 2 kcal": ["I just had my usual coffee"],
        "rice 200 grams = 260 kcal": ["about 200g of rice", "approx. 200g rice"],
        "rice 1 servings = 205 kcal": ["some rice", "a lot of rice"],
        "strawberry 1 servings = 46 kcal": ["fresh organic strawberries"],
        "egg 1 servings = 70 kcal": ["the eggs", "8 am eggs"], "apple 1 pieces = 95 kcal": ["a fresh apple"],
        "apple 1 pieces = 116 kcal": ["a nice big apple"],
        "butter 1 servings = 102 kcal": ["a little butter", "a bit of butter"],
        "egg 2 pieces, banana 1 pieces = 245 kcal": ["Breakfast: 2 eggs. Lunch: a banana"],
        "toast 1 servings = 150 kcal": ["toast at 8"],
    ])

    @Test("The parser omits negated foods", arguments: negations)
    func readsNegations(_ meal: ReadMeal) { meal.check() }

    static let negations = ReadMeal.table([
        "nothing": [
            "0 eggs", "zero eggs", "two hundred zero g rice", "no eggs", "no cheese", "without sugar", "0.001 g rice",
        ],
        "coffee 1 servings = 2 kcal": [
            "coffee w/o", "coffee without sugar", "coffee w/o sugar", "black coffee without milk",
            "coffee with no milk or sugar",
        ],
        "coffee 1 servings, egg 2 pieces = 142 kcal": ["coffee, no milk, 2 eggs", "coffee at 8 2 eggs"],
        "hamburger 1 servings, french-fries 1 servings = 650 kcal": ["burger without cheese or onions and fries"],
        "toast 1 servings = 150 kcal": ["toast, no butter"], "egg 2 pieces = 140 kcal": ["2 eggs not bacon"],
        "egg 1 pieces = 70 kcal": ["0 g rice and 1 egg"],
    ])

    @Test("The parser reports unused words and amounts as unknown", arguments: unknown)
    func readsUnknown(_ meal: ReadMeal) { meal.check() }

    static let unknown = ReadMeal.table([
        // An amount without a food is not dropped silently.
        "egg 2 pieces = 140 kcal; unknown: 100g": ["100g of 2 eggs"],
        "egg 2 pieces = 140 kcal; unknown: 120g": ["2 eggs, 120g"], "egg 3 pieces = 210 kcal; unknown: 2": ["2 3 eggs"],
        "egg 12 pieces = 840 kcal; unknown: 2": ["2 or dozen eggs"],
        "avocado 0.5 pieces = 161 kcal; unknown: 2": [
            "2 half avocados", "2 and half an avocado", "2 and half of an avocado",
        ],
        // There may be at most two words between a number and its unit.
        "bread 2 slices = 154 kcal": ["2 good thick slices of bread"],
        "bread 1 slices = 77 kcal; unknown: 2": ["2 good large thick slices of bread"],
        // A letter is a unit only after a number.
        "rice 1 servings = 205 kcal; unknown: c": ["a c rice"],
        "grape 1 pieces = 3 kcal; unknown: bunch": ["1 bunch of grapes"],
        "salt 2 servings = 0 kcal; unknown: pinch": ["2 pinch salt"],
        "grape 1 servings = 104 kcal": ["a bunch of grapes"],
        "toast 2 slices, butter 10 grams = 222 kcal; unknown: each": ["2 toasts with 10 g butter each"],
        "egg 2 pieces = 140 kcal": ["2 eggs each"], "nothing; unknown: unobtainium": ["unobtainium", "2 unobtainium"],
        "egg 1 servings = 70 kcal; unknown: unobtainium": [
            "2 unobtainium and eggs", "unobtainium, eggs", "eggs with unobtainium", "hot unobtainium and eggs",
        ],
        "egg 2 pieces = 140 kcal; unknown: glorbed": ["2 glorbed eggs"],
        "egg 1 servings = 70 kcal; unknown: blub, blab, blob": ["blub blab blob eggs"],
        "nothing; unknown: яйца": ["яйца"], "egg 2 pieces = 140 kcal; unknown: яйца": ["2 яйца and 2 eggs"],
        "egg 2 pieces = 140 kcal; unknown: ran, km": ["I ran 5 km and ate 2 eggs"],
        "nothing": ["2", "2 cups", "cup", "and", ",;.", "x2", "()"],
    ])

    @Test("The parser limits excessive amounts", arguments: limits)
    func readsLimits(_ meal: ReadMeal) { meal.check() }

    static let limits = ReadMeal.table([
        "egg 2 pieces = 140 kcal": ["-2 eggs", "−2 eggs"],
        "egg 200 pieces = 14000 kcal": ["1000000 eggs", "99999999999999999999999 eggs", "99999 x 99999 eggs"],
        "rice 10000 grams = 13000 kcal": ["10000 g rice", "10001 g rice"],
        "rice 10 kilograms = 13000 kcal": ["20 kg rice", "a thousand kilos of rice"],
        "egg 1 pieces = 70 kcal; unknown: e9": ["1e9 eggs"], "egg 1 servings = 70 kcal; unknown: 1/0": ["1/0 eggs"],
    ])
}
