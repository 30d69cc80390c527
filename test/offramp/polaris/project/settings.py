"""A Polaris anchor on loopback. Polaris reads HOST_URL, HORIZON_URI, SIGNING_SEED and the like from the environment."""
import os

BASE_DIR = os.path.dirname(os.path.abspath(__file__))
SECRET_KEY = os.environ["SERVER_JWT_KEY"]
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "urls"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "corsheaders",
    "rest_framework",
    "polaris",
    "anchor",
]
MIDDLEWARE = [
    "corsheaders.middleware.CorsMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "polaris.middleware.TimezoneMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.locale.LocaleMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]
# The templates of Polaris' forms are found like those of apps.
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"
INSTALLED_APPS.append("django.forms")
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.environ["DATABASE_FILE"],
        # Three processes write to it.
        "OPTIONS": {"timeout": 20},
    }
}
REST_FRAMEWORK = {"UNAUTHENTICATED_USER": None, "PAGE_SIZE": 10}
LANGUAGES = [("en", "English")]
USE_TZ = True
STATIC_URL = "/static/"
STATIC_ROOT = os.path.join(os.path.dirname(os.environ["DATABASE_FILE"]), "static")
SECURE_SSL_REDIRECT = False
SECURE_PROXY_SSL_HEADER = None
SESSION_COOKIE_SECURE = False
APPEND_SLASH = False
