"""The two apps' operations: the bodies that they send, and the members that they decode, with their types.

A shape is a type, a pattern or a choice of values for one value, `[shape]` for a list, `{name: shape}` for an object,
which may have other members. `name?` may be absent or null.
"""

import re
from typing import Any, NamedTuple

from facts import UNKNOWN_ID

API = "/api/v1"
ADDRESS, PASSWORD = "{user}@example.com", "correct horse"

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
JWT = re.compile(r"[\w-]+\.[\w-]+\.[\w-]+")
TOTALS = {"total": int, "total_count": int, "limit": int, "offset": int, "has_more": bool}


class Row(NamedTuple):
    method: str
    # Below `/api/v1`; `{name}` is a value that an earlier row kept.
    path: str
    status: int
    shape: Any = None
    body: Any = None
    # The name under which to keep this answer's id.
    keeps: str = None


def data(shape):
    """The envelope of success."""
    return {"success": bool, "data": shape, "message?": str, "error?": str}


REFUSAL = {"success": bool, "error": {"code": str, "message": str}, "message": str}
TOKENS = {"access_token": JWT, "refresh_token": JWT}
PROFILE = {
    "name": str, "preferred_unit_system": {"metric", "imperial"}, "language_code": str, "bio?": str,
    "date_of_birth?": DATE, "created_at?": TIME, "updated_at?": TIME}
USER = data({
    "id": UUID, "email": str, "user_id": UUID, **PROFILE,
    "profile": {"id": UUID, **PROFILE, "biological_sex?": str, "height_cm?": float}})
PREFERENCES = data({
    "id": UUID, "user_profile_id": UUID, "allergies": [str], "dietary_restrictions": [str], "food_dislikes": [str],
    "created_at": TIME, "updated_at": TIME})

REGISTRATION = {"email": ADDRESS, "password": PASSWORD, "name": "Ada", "date_of_birth": "1990-05-17"}
NEW_PROFILE = {
    "name": "Ada", "preferred_unit_system": "metric", "bio": "Counts", "language_code": "en",
    "date_of_birth": "1990-05-17"}
PREFERRED = {"allergies": ["nuts"], "dietary_restrictions": ["vegetarian"], "food_dislikes": []}

REGISTER = Row("POST", "/auth/register", 201, data({
    "user_id": UUID, "email": str, "name": str, "created_at": TIME, **TOKENS}), REGISTRATION)
ACCOUNTS = [
    *(Row("POST", "/auth/register", 400, REFUSAL, {**REGISTRATION, **bad}) for bad in (
        {"email": "none"}, {"password": "short"}, {"date_of_birth": "2020-01-01"}, {"name": 1})),
    Row("POST", "/auth/register", 409, REFUSAL, REGISTRATION),
    Row("POST", "/auth/login", 200, data(TOKENS), {"email": ADDRESS, "password": PASSWORD}),
    Row("POST", "/auth/login", 401, REFUSAL, {"email": ADDRESS, "password": "wrong horse"}),
    Row("POST", "/auth/refresh", 200, {**data(TOKENS), **TOKENS}, {"refresh_token": "{refresh_token}"}),
    Row("POST", "/auth/refresh", 400, REFUSAL, {"refresh_token": "none of ours"}),
    Row("GET", "/users/me", 200, USER),
    Row("POST", "/users/me", 201, USER, NEW_PROFILE),
    Row("POST", "/users/me", 409, REFUSAL, NEW_PROFILE),
    Row("PUT", "/users/me", 200, USER, {
        **NEW_PROFILE, "gender": "female", "height": 170.5, "weight": 61, "activity_level": "light"}),
    Row("PATCH", "/users/me/physical", 200, USER, {
        "biological_sex": "female", "height_cm": 171, "date_of_birth": "1990-05-17"}),
    Row("GET", "/users/me/preferences", 404, REFUSAL),
    Row("PATCH", "/users/me/preferences", 200, PREFERENCES, PREFERRED),
    Row("GET", "/users/me/preferences", 200, PREFERENCES),
    Row("DELETE", "/users/me/preferences", 204),
    Row("POST", "/auth/logout", 204, None, {"refresh_token": "{refresh_token}"}),
    Row("POST", "/auth/refresh", 401, REFUSAL, {"refresh_token": "{refresh_token}"}),
    Row("DELETE", "/users/me", 204),
    Row("GET", "/users/me", 401, REFUSAL),
    Row("POST", "/auth/login", 401, REFUSAL, {"email": ADDRESS, "password": PASSWORD}),
]

CONSULTATION = {
    "id": UUID, "user_id": UUID, "persona": str, "title?": str, "message_count": int, "started_at": TIME,
    "status": {"pending", "active", "completed", "abandoned", "archived"}, "created_at": TIME, "updated_at": TIME,
    "has_context_for_goal_suggestions": bool}
SUGGESTION = {
    "title": str, "description": str, "goal_type": str, "target_value?": float, "target_unit?": str, "rationale": str,
    "estimated_duration?": int, "difficulty": {1, 2, 3, 4, 5}}
MESSAGE = {
    "id": UUID, "consultation_id": UUID, "role": {"user", "assistant", "system"}, "content": str, "created_at": TIME,
    "metadata?": {"persona?": str, "tokens?": int, "processing_time_ms?": int, "is_streaming?": bool}}
CHAT = [
    Row("POST", "/consultations", 201, data(CONSULTATION), {"persona": "nutritionist"}, "consultation"),
    Row("POST", "/consultations", 409, REFUSAL, {"persona": "nutritionist"}),
    Row("GET", "/consultations/{consultation}", 200, data(CONSULTATION)),
    Row("GET", "/consultations?limit=5&offset=0&status=active", 200, data({"consultations": [CONSULTATION], **TOTALS})),
    Row("GET", "/consultations/{consultation}/messages?limit=5", 200, data({"messages": [MESSAGE], **TOTALS})),
    Row("POST", "/consultations", 201, data(CONSULTATION), {
        "persona": "fitness_coach", "initial_message": "How often should I run?"}, "asked"),
    Row("GET", "/consultations/{asked}/messages", 200, data({"messages": [MESSAGE], **TOTALS, "total": {2}})),
    Row("POST", "/consultations", 201, data({
        **CONSULTATION, "context_type": {"goal"}, "context_id": {None}, "has_context_for_goal_suggestions": {False},
        "quick_action": {"set_goal"}}), {
            "persona": "general_wellness", "context_type": "goal", "quick_action": "set_goal"}),
    Row("GET", "/consultations/{asked}", 200, data({**CONSULTATION, "has_context_for_goal_suggestions": {True}})),
    Row("PUT", "/consultations/{consultation}", 200, data({**CONSULTATION, "title": {"Breakfast"}}), {
        "title": "Breakfast", "persona": "nutritionist", "id": UNKNOWN_ID, "user_id": UNKNOWN_ID}),
    Row("POST", "/consultations/{consultation}/messages", 201, data({
        "user_message": {**MESSAGE, "role": {"user"}}, "assistant_message": {**MESSAGE, "role": {"assistant"}}}), {
            "content": "What is a good breakfast?"}),
    Row("POST", "/consultations/{consultation}/messages", 400, REFUSAL, {"content": "x" * 5001}),
    Row("GET", "/consultations/{consultation}/messages?limit=1&offset=1", 200, data({
        "messages": [MESSAGE], **TOTALS, "has_more": {False}, "total": {2}})),
    Row("POST", "/consultations/{consultation}/suggest-goals", 200, data({
        "suggestions": [SUGGESTION], "count": int, "persona": str, "consultation_id": UUID}), {"max_suggestions": 2}),
    Row("POST", "/consultations/{consultation}/complete", 200, data({
        **CONSULTATION, "status": {"completed"}, "completed_at": TIME})),
    Row("GET", "/consultations?status=completed", 200, data({
        "consultations": [{**CONSULTATION, "status": {"completed"}}], **TOTALS, "total_count": {1}})),
    Row("DELETE", "/consultations/{consultation}", 204),
    Row("GET", "/consultations?status=completed", 200, data({"consultations": [], **TOTALS, "total_count": {0}})),
]

GOAL = {
    "id": UUID, "user_id": UUID, "title": str, "description": str, "created_at": TIME, "updated_at": TIME,
    "progress": float, "status": {"active", "completed", "paused", "archived"}, "target_value": float,
    "target_unit": str, "current_value": float, "start_date?": DATE, "target_date?": TIME, "category?": str,
    "goal_type?": str, "is_overdue": bool, "days_remaining": int, "is_recurring": bool}
GUIDE_GOAL = {
    "id": UUID, "userId": UUID, "title": str, "description": str, "targetDate": TIME, "progress": float,
    "status": {"not_started", "in_progress", "completed", "archived"}, "createdAt": TIME, "updatedAt": TIME}
ADVICE = {"goal_id": UUID, "generated_at": TIME}
NEW_GOAL = {
    "title": "Run", "description": "Every week", "start_date": "2025-02-01", "target_date": "2035-06-01",
    "goal_type": "fitness", "target_value": 100, "target_unit": "km"}
GOALS = [
    Row("POST", "/goals", 201, data({
        **GOAL, "status": {"active"}, "start_date": {"2025-02-01"}, "goal_type": {"fitness"}}), {
            **NEW_GOAL, "id": UNKNOWN_ID, "user_id": UNKNOWN_ID, "created_at": "1970-01-01T00:00:00Z"}, "goal"),
    *(Row("POST", "/goals", 400, REFUSAL, {**NEW_GOAL, **bad}) for bad in (
        {"target_value": 0}, {"title": ""}, {"target_date": "tomorrow"})),
    Row("GET", "/goals?status=active&limit=5&offset=0", 200, {
        **data({"goals": [GOAL], **TOTALS}), "goals": [GUIDE_GOAL], "totalCount": int}),
    Row("PUT", "/goals/{goal}", 200, data({
        **GOAL, "status": {"paused"}, "progress": {0.5}, "current_value": {50}, "description": {"Every day"}}), {
            **NEW_GOAL, "description": "Every day", "target_date": "2035-07-01T00:00:00Z", "progress": 0.5,
            "status": "paused", "current_value": 50}),
    Row("PUT", "/goals/{goal}", 400, REFUSAL, {"progress": 1.5}),
    Row("GET", "/goals/{goal}/tips", 200, data({"goal_id": UUID, "tips": [str], "count": int})),
    Row("GET", "/goals/{goal}/suggestions", 200, data({
        **ADVICE, "suggestions": [str], "next_steps": [str], "motivational_message?": str})),
    Row("GET", "/goals/{goal}/analysis", 200, data({
        **ADVICE, "current_progress": float, "projected_completion?": str, "analysis": str, "recommendations": [str],
        "strengths": [str], "challenges": [str]})),
    *(Row(method, "/goals/suggestions", 200, data({"suggestions": [SUGGESTION], "count": int}))
      for method in ("GET", "POST")),
    Row("DELETE", "/goals/{goal}", 204),
]

ITEM = {
    "id": UUID, "meal_log_id": UUID, "food_type": {"food", "drink", "water"}, "food_id?": UUID, "user_food_id?": UUID,
    "food_name": str, "quantity": float, "unit": str, "calories": int, "protein_g": float, "carbs_g": float,
    "fat_g": float}
MEAL = {
    "id": UUID, "user_id": UUID, "raw_input?": str, "meal_type": str, "logged_at": TIME, "created_at": TIME,
    "status": {"pending", "processing", "completed", "failed", "manual"}, "updated_at": TIME, "items?": [ITEM]}
PERCENT = set(range(101))
SESSION = {
    "session_id": UUID, "overall_confidence": PERCENT, "needs_review": bool, "processing_time_ms": int,
    "confidence_score": float, "total_macros": {
        "total_calories": int, "total_protein": int, "total_carbohydrates": int, "total_fats": int},
    "recognized_items": [{
        "id": UUID, "name": str, "quantity": float, "unit": str, "confidence": PERCENT, "needs_review": bool,
        "macronutrients": {
            "calories": int, "protein": int, "carbohydrates": int, "fats": int, "fiber": int, "sugar": int},
        "portion_hints": [str], "calories": int, "protein_g": float, "carbs_g": float, "fat_g": float,
        "fiber_g": float, "sugar_g": float, "confidence_score": float, "order_index": int}]}
RECOGNITION = {
    **SESSION, "id": UUID, "user_id": UUID, "meal_type": {"other", "lunch"}, "status": {"completed"}, "image_url?": str,
    "total_calories": int, "total_protein_g": float, "total_carbs_g": float, "total_fat_g": float,
    "total_fiber_g": float, "total_sugar_g": float, "logged_at": TIME, "processing_started_at": TIME,
    "processing_completed_at": TIME, "created_at": TIME, "updated_at": TIME}
PHOTO = data({**RECOGNITION, "meal_log_id": {None}})
FORM = "multipart/form-data; boundary=photo"
IMAGE = (
    b'--photo\r\nContent-Disposition: form-data; name="image"; filename="lunch.jpg"\r\n'
    b"Content-Type: image/jpeg\r\n\r\n\xff\xd8\xff\xe0\r\n--photo--\r\n")
CONFIRMED = {
    "confirmed_items": [{
        "name": "Soup", "quantity": 1, "unit": "bowl", "calories": 120, "protein_g": 4, "carbs_g": 15, "fat_g": 3,
        "fiber_g": None, "sugar_g": 5}], "notes": "Hot"}
PIE = {"food_name": "Pie", "quantity": 1, "unit": "slice", "calories": 300, "protein_g": 4, "carbs_g": 40, "fat_g": 14.5}
MANUAL = {**MEAL, "raw_input": {"Pie"}, "status": {"manual"}, "items": [ITEM]}


def meal(text, kind):
    return {"raw_input": text, "meal_type": kind}


MEALS = [
    *(Row("POST", "/meal-logs/natural", 201, data({**MEAL, "meal_type": {kind}}), meal("2 eggs", kind), "meal")
      for kind in ("drink", "water", "supplements", "other")),
    Row("GET", "/meal-logs/{meal}", 200, data(MEAL)),
    Row("POST", "/meal-logs/batch", 201, data({"meal_logs": [MEAL], "count": {2}}), {
        "meal_logs": [meal("orange juice", "drink"), meal("qwertyuiop", "snack")]}),
    Row("POST", "/meal-logs/batch", 400, {**REFUSAL, "message": re.compile(r".*meal_logs\[1\].*")}, {
        "meal_logs": [meal("toast", "lunch"), meal("", "lunch")]}),
    Row("POST", "/meal-logs/batch", 400, REFUSAL, {"meal_logs": [meal("toast", "lunch")] * 51}),
    Row("GET", "/meal-logs?from=2025-01-01T00:00:00Z&limit=5&offset=0", 200, data({
        "meal_logs": [MEAL], **TOTALS, "total_count": {6}})),
    Row("GET", "/meal-logs?status=pending", 200, data({"meal_logs": [MEAL], **TOTALS})),
    Row("GET", "/meal-logs?status=manual", 200, data({"meal_logs": [MEAL], **TOTALS})),
    Row("PUT", "/meal-logs/{meal}", 200, data({
        **MEAL, "raw_input": {"1 egg"}, "meal_type": {"snack"}, "logged_at": {"2025-01-29T09:00:00Z"}}), {
            **meal("1 egg", "snack"), "logged_at": "2025-01-29T09:00:00Z", "notes": "Soft", "user_id": UNKNOWN_ID}),
    Row("DELETE", "/meal-logs/{meal}", 204),
    Row("POST", "/meal-logs/photo", 201, PHOTO, IMAGE, "photo"),
    Row("GET", "/meal-logs/photo/{photo}", 200, PHOTO),
    Row("PATCH", "/meal-logs/photo/{photo}/confirm", 200, data({
        **SESSION, **MEAL, "status": {"completed"}, "notes": {"Hot"}}), CONFIRMED),
    Row("PATCH", "/meal-logs/photo/{photo}/confirm", 400, REFUSAL, CONFIRMED),
    Row("GET", "/meal-logs/photo/{photo}", 200, data({**RECOGNITION, "meal_log_id": UUID})),
    Row("POST", "/meal-logs/photo", 201, PHOTO, IMAGE, "photo"),
    Row("DELETE", "/meal-logs/photo/{photo}", 204),
    Row("POST", "/meal-logs/photo", 201, data({**RECOGNITION, "notes": {"Big"}}), {
        "image_data": "/9j/4AAQSkZJRg==", "meal_type": "lunch", "notes": "Big"}, "photo"),
    *(Row("PATCH", "/meal-logs/photo/{photo}/confirm", 400, REFUSAL, {**CONFIRMED, **bad}) for bad in (
        {"notes": "x" * 501}, {"confirmed_items": 1}, {"confirmed_items": [{"name": "Soup", "quantity": 1}]})),
    Row("PATCH", "/meal-logs/photo/{photo}/confirm", 200, data({
        **SESSION, **MEAL, "status": {"completed"}, "notes": {"Big"}}), {"confirmed_items": []}),
    *(Row("POST", "/meal-logs/photo", 400, {**REFUSAL, "message": re.compile(words)}, body) for body, words in (
        ({"image_data": "?", "meal_type": "lunch"}, ".*usable format.*"), ({"image_data": "/9j/"}, ".*'meal_type'.*"))),
    Row("POST", "/meal-logs/batch", 201, data(MANUAL), {"meal_type": "snack", "items": [PIE]}, "manual"),
    Row("PUT", "/meal-logs/{manual}", 200, data({**MANUAL, "total_calories": {600}}), {"items": [PIE, PIE]}),
    *(Row("PUT", "/meal-logs/{manual}", 400, {**REFUSAL, "message": re.compile(".*" + name + ".*")}, {
        "items": [{**PIE, name: None}]}) for name in PIE),
    Row("GET", "/meal-logs?status=manual", 200, data({"meal_logs": [MANUAL], **TOTALS, "total": {1}})),
]
FAILURE_CODES = {"PARSING_FAILED", "AI_SERVICE_ERROR", "RATE_LIMIT", "SERVER_ERROR"}
FRAMES = [
    ("connected", {"user_id": UUID, "timestamp": TIME}), ("pong", {"timestamp": TIME}),
    ("meal_log.completed", {"timestamp": TIME, "data": {**MEAL, "status": {"completed"}, "items": [ITEM]}}),
    ("meal_log.failed", {"timestamp": TIME, "data": {
        "id": UUID, "status": {"failed"}, "error_code": FAILURE_CODES, "details?": str, "suggestions?": [str]}}),
]
