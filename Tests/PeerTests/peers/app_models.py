"""The members that the apps' decoders need in each answer, as `app_shapes` writes them.

A decoder throws if a member without `?` is absent, null or of another type, or if one with `?` has another type. Both
apps read times with whole seconds, except Lume's insights, which need a fraction.
"""

import re

from app_chapters import check
from app_shapes import (
    CONSULTATION, DATE, GOAL, ITEM, MEAL, MESSAGE, PREFERENCES, SUGGESTION, TIME, TOKENS, USER, UUID, data)

FRACTION = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
LISTED = {"total": int, "limit": int, "offset": int, "has_more": bool}
STAMPS = {"created_at": TIME, "updated_at": TIME}


def decoded(answer, shape, what):
    """The `data` of an answer, as the app reads it; an AssertionError stands for the app's error."""
    check(answer, data(shape), what)
    return answer["data"]


# FitIQ
REGISTRATION = {"user_id": UUID, "email": str, "name": str, "created_at": str, **TOKENS}
PROGRESS = {"id": str, "type": {
    "weight", "height", "body_fat_percentage", "bmi", "steps", "calories_out", "distance_km", "active_minutes",
    "sleep_hours", "water_liters", "resting_heart_rate", "mood_score", "calories_in", "protein_g", "carbs_g", "fat_g",
}, "quantity": float, "date": TIME, "notes?": str}
PROGRESS_LIST = {"entries": [PROGRESS], "total": int, "limit": int, "offset": int}
SLEEP = {
    "id": str, "user_id": str, "start_time": TIME, "end_time": TIME, "time_in_bed_minutes": int,
    "total_sleep_minutes": int, "sleep_efficiency_percentage": float, "awake_minutes": int, "rem_minutes": int,
    "core_minutes": int, "deep_minutes": int, "source": str, "source_id?": str, "notes?": str, **STAMPS}
SLEEP_LIST = {"sessions": [SLEEP], **LISTED, "averages?": {
    "avg_time_in_bed_minutes": int, "avg_total_sleep_minutes": int, "avg_sleep_efficiency_percentage": float}}
WORKOUT = {
    "id": str, "user_id": str, "activity_type": str, "title?": str, "notes?": str, "started_at": TIME,
    "ended_at?": TIME, "duration_minutes?": int, "calories_burned?": int, "distance_meters?": float,
    "intensity?": int, **STAMPS}
WORKOUT_LIST = {"workouts": [WORKOUT], **LISTED}
METRICS = {"id": UUID, "user_id": UUID, "recorded_at": TIME, "metrics": [{
    "metric_type": {"weight", "height", "body_fat_percentage", "bmi"}, "quantity": float, "unit": {"kg", "cm", "%"}}]}
EXERCISE = {
    "id": str, "template_id": str, "exercise_id?": str, "user_exercise_id?": str, "exercise_name": str,
    "order_index": int, "technique?": str, "technique_details?": {}, "sets?": int, "reps?": int,
    "duration_seconds?": int, "rest_seconds?": int, "rir?": int, "weight_kg?": float, "tempo?": str, "notes?": str,
    "created_at": TIME}
ABOUT_TEMPLATE = {
    "description?": str, "category?": str, "difficulty_level?": str, "estimated_duration_minutes?": int}
TEMPLATE = {
    "id": str, "user_id?": str, "name": str, **ABOUT_TEMPLATE, "is_public": bool, "is_system?": bool,
    "status?": {"draft", "published", "archived"}, "exercise_count?": int, "exercises?": [EXERCISE], **STAMPS}
TEMPLATE_LIST = {"templates": [TEMPLATE], **LISTED}
PUBLIC_TEMPLATES = {"templates": [TEMPLATE], "total": int}
PROFESSIONS = {"personal_trainer", "nutritionist", "physical_therapist", "sports_coach"}
SHARE = {
    "template_id": str, "template_name": str, "shared_with": [{"user_id": str, "share_id": str, "shared_at": TIME}],
    "total_shared": int, "professional_type": PROFESSIONS}
REVOKED = {"template_id": str, "revoked_from_user_id": str, "revoked_at": TIME}
SHARED_LIST = {"templates": [{
    "template_id": str, "name": str, "exercise_count": int, **ABOUT_TEMPLATE, "professional_name": str,
    "professional_type": PROFESSIONS, "shared_at": TIME, "notes?": str}], **LISTED}
COPY = {"original_template_id": str, "new_template": TEMPLATE}
RECOGNIZED = {
    "id": str, "name": str, "quantity": float, "unit": str, "confidence": set(range(101)), "needs_review": bool,
    "macronutrients": {
        "calories": int, "protein": int, "carbohydrates": int, "fats": int, "fiber?": int, "sugar?": int},
    "portion_hints": [str]}
PHOTO = {
    "session_id": str, "recognized_items": [RECOGNIZED], "overall_confidence": set(range(101)), "needs_review": bool,
    "processing_time_ms": int, "total_macros": {
        "total_calories": int, "total_protein": int, "total_carbohydrates": int, "total_fats": int}}
SEEN_PHOTO = {
    "id": str, "user_id": str, "image_url?": str, "meal_type": str, "status": {"completed"},
    "confidence_score?": float, "needs_review?": bool, "recognized_items?": [{
        "id?": str, "name": str, "quantity": float, "unit": str, "calories": int, "protein_g": float, "carbs_g": float,
        "fat_g": float, "fiber_g?": float, "sugar_g?": float, "confidence_score": float, "order_index?": int}],
    "total_calories?": int, "total_protein_g?": float, "total_carbs_g?": float, "total_fat_g?": float,
    "total_fiber_g?": float, "total_sugar_g?": float, "logged_at?": TIME, "notes?": str, "error_message?": str,
    "processing_started_at?": TIME, "processing_completed_at?": TIME, "created_at?": TIME, "updated_at?": TIME,
    "meal_log_id?": str}
LOGGED = {name: kind for name, kind in MEAL.items() if name not in ("raw_input?", "items?")} | {"raw_input": str}
EATEN = {**LOGGED, "items": [ITEM], "total_calories": int, "total_protein_g": float}
MEAL_LIST = {"meal_logs": [{**LOGGED, "items?": [ITEM]}], "total_count": int, "limit": int, "offset": int}

# Lume
MOOD = {
    "id": str, "user_id": str, "valence": float, "labels": [str], "associations": [str], "notes?": str,
    "logged_at": TIME, "source": {"manual", "healthkit", "api"}, "source_id?": str, "is_healthkit": bool, **STAMPS}
MOOD_LIST = {"entries": [MOOD], **LISTED}
LABELS, ASSOCIATIONS = [{"label": str, "count": int}], [{"association": str, "count": int}]
DAY = {
    "date": DATE, "entry_count": int, "average_valence": float, "min_valence": float, "max_valence": float,
    "most_common_labels": LABELS, "most_common_associations": ASSOCIATIONS}
ANALYTICS = {
    "period": {"start_date": DATE, "end_date": DATE, "total_days": int},
    "summary": {
        "total_entries": int, "average_valence": float, "days_with_entries": int, "logging_consistency": float},
    "trends": {
        "trend_direction": {"improving", "stable", "declining", "insufficient_data"},
        "weekly_averages": [{"week_start": DATE, "average_valence": float}]},
    "top_labels": [{"label": str, "count": int, "percentage": float}],
    "top_associations?": [{"association": str, "count": int, "percentage": float, "average_valence": float}],
    "daily_aggregates?": [DAY]}
JOURNAL = {
    "id": str, "user_id": str, "title?": str, "content": str, "content_format": {"plain", "markdown"},
    "entry_type": {"freeform", "gratitude", "goal_review", "workout", "meal", "prompt", "reflection", "daily_log"},
    "tags": [str], "privacy_level": {"private", "shared", "public"}, "prompt_id?": str, "linked_mood_id?": str,
    "linked_goal_id?": str, "is_favorite": bool, "logged_at": TIME, **STAMPS}
JOURNAL_LIST = {"entries": [JOURNAL], **LISTED}
JOURNAL_FOUND = {"results": [JOURNAL], "total": int, "limit": int, "offset": int}
INSIGHT_TYPES = ("daily", "weekly", "monthly", "milestone", "pattern")
INSIGHT = {
    "id": str, "user_id": str, "insight_type": set(INSIGHT_TYPES), "title": str, "content": str, "summary?": str,
    "period_start?": FRACTION, "period_end?": FRACTION, "metrics?": {
        "mood_entries_count?": int, "journal_entries_count?": int, "goals_active?": int, "goals_completed?": int},
    "suggestions?": [str], "is_read": bool, "is_favorite": bool, "is_archived": bool, "created_at": FRACTION,
    "updated_at": FRACTION}
INSIGHT_LIST = {"insights": [INSIGHT], **LISTED, "total_pages": int}
DONE = {"message": str}
FAVORITE = {"is_favorite": bool}
UNREAD = {"count": int}
CHAT = {
    **CONSULTATION, "context_type": str, "context_id?": str, "quick_action?": str,
    "has_context_for_goal_suggestions": bool}
CHAT_LIST = {"consultations": [CHAT], "total_count": int, "limit": int, "offset": int}
SENT = {"user_message": MESSAGE, "assistant_message?": MESSAGE}
SUGGESTED = {"suggestions": [SUGGESTION], "count": int, "persona": str, "consultation_id": str}
GOAL_LIST = {"goals": [GOAL], "total": int, "limit": int, "offset": int, "has_more": bool}

# Both
ME, KEPT_PREFERENCES = USER["data"], PREFERENCES["data"]

MODELS = {name: value for name, value in globals().items() if name.isupper() and isinstance(value, dict)}
