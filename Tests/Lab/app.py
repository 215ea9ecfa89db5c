"""A server of Django REST framework: companies with employees, and what a test wants to know of it.

Below `/` lists come in numbered pages, below `/cursor/` and `/offset/` in others; below `/private/` a token is
needed, and below `/idempotent/` a request with an Idempotency-Key that came before is not carried out again.
`/lab/` reports what arrived, and what is in the database by its own words. LAB_DATABASE is the port of PostgreSQL.
"""
import hashlib
import json
import os

import django
from django.conf import settings

settings.configure(
    SECRET_KEY="a secret of nobody",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": "postgres",
            "USER": "postgres",
            "HOST": "127.0.0.1",
            "PORT": os.environ["LAB_DATABASE"],
            "CONN_MAX_AGE": 600,
        }
    },
    INSTALLED_APPS=["rest_framework", "django_filters"],
    MIDDLEWARE=[
        f"{__name__}.arrivals",
        f"{__name__}.tokens",
        f"{__name__}.keys",
        "django.middleware.http.ConditionalGetMiddleware",
        "django.middleware.common.CommonMiddleware",
    ],
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "UNAUTHENTICATED_USER": None,
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "DEFAULT_FILTER_BACKENDS": [
            "django_filters.rest_framework.DjangoFilterBackend",
            "rest_framework.filters.OrderingFilter",
        ],
    },
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
)
django.setup()

from django.core import validators  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.http import HttpResponse, JsonResponse  # noqa: E402
from django.shortcuts import get_object_or_404  # noqa: E402
from django.urls import include, path  # noqa: E402
from django.utils.text import slugify  # noqa: E402
from rest_framework import pagination, serializers, viewsets  # noqa: E402
from rest_framework_nested import routers  # noqa: E402


class Company(models.Model):
    name = models.CharField(max_length=40, unique=True)
    city = models.CharField(max_length=40, blank=True, null=True)
    slug = models.CharField(max_length=40, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "lab"
        db_table = "company"
        ordering = ["id"]

    def save(self, *arguments, **options):
        self.slug = slugify(self.name)
        super().save(*arguments, **options)


class Employee(models.Model):
    company = models.ForeignKey(Company, on_delete=models.CASCADE, related_name="employees")
    full_name = models.CharField(max_length=40)
    age = models.IntegerField(
        null=True,
        blank=True,
        validators=[validators.MinValueValidator(14), validators.MaxValueValidator(120)],
    )
    email = models.EmailField(null=True, blank=True)

    class Meta:
        app_label = "lab"
        db_table = "employee"
        ordering = ["id"]


class Tag(models.Model):
    """What has an identifier that its client makes: any text."""

    id = models.CharField(max_length=100, primary_key=True)
    note = models.TextField(blank=True, null=True)

    class Meta:
        app_label = "lab"
        db_table = "tag"
        ordering = ["id"]


class CompanySerializer(serializers.ModelSerializer):
    class Meta:
        model = Company
        fields = ["id", "name", "city", "slug", "created_at"]


class EmployeeSerializer(serializers.ModelSerializer):
    company = serializers.PrimaryKeyRelatedField(queryset=Company.objects.all(), required=False)

    class Meta:
        model = Employee
        fields = ["id", "company", "full_name", "age", "email"]

    def validate(self, values):
        if values.get("full_name") == "Nobody":
            raise serializers.ValidationError("nobody works here")
        return values


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "note"]


class Pages(pagination.PageNumberPagination):
    page_size = 5
    page_size_query_param = "page_size"
    max_page_size = 100


class Cursors(pagination.CursorPagination):
    page_size = 5
    page_size_query_param = "page_size"
    ordering = "id"


class Offsets(pagination.LimitOffsetPagination):
    default_limit = 5
    max_limit = 100


def routes(paginator):
    """The routes of all models, whose lists are cut by a paginator."""

    class Companies(viewsets.ModelViewSet):
        queryset = Company.objects.all()
        serializer_class = CompanySerializer
        pagination_class = paginator
        ordering_fields = ["id", "name", "city"]
        filterset_fields = {
            "name": ["exact", "contains", "startswith", "endswith", "in"],
            "city": ["exact", "isnull", "in"],
        }

    class Employees(viewsets.ModelViewSet):
        serializer_class = EmployeeSerializer
        pagination_class = paginator
        ordering_fields = ["id", "full_name", "age"]
        filterset_fields = {
            "age": ["exact", "gt", "gte", "lt", "lte", "isnull"],
            "full_name": ["exact", "contains", "startswith"],
            "company": ["exact"],
        }

        def get_queryset(self):
            all = Employee.objects.all()
            company = self.kwargs.get("company_pk")
            return all.filter(company_id=company) if company else all

        def perform_create(self, serializer):
            company = self.kwargs.get("company_pk")
            if company:
                serializer.save(company=get_object_or_404(Company, pk=company))
            elif "company" in serializer.validated_data:
                serializer.save()
            else:
                raise serializers.ValidationError({"company": ["This field is required."]})

    class Tags(viewsets.ModelViewSet):
        queryset = Tag.objects.all()
        serializer_class = TagSerializer
        pagination_class = paginator
        lookup_value_regex = ".+"

    router = routers.SimpleRouter()
    router.register("companies", Companies)
    router.register("employees", Employees, basename="employee")
    router.register("tags", Tags)
    nested = routers.NestedSimpleRouter(router, "companies", lookup="company")
    nested.register("employees", Employees, basename="company-employee")
    # Before those of one company, whose identifier could be anything.
    return nested.urls + router.urls


def query(text, *values):
    """The rows of a statement of SQL."""
    with connection.cursor() as cursor:
        cursor.execute(text, values)
        return cursor.fetchall() if cursor.description else []


def arrivals(respond):
    """Notes each request that arrives, whatever becomes of it."""

    def note(request):
        if not request.path.startswith("/lab/"):
            query(
                "INSERT INTO arrival (method, path, run) VALUES (%s, %s, %s)",
                request.method,
                request.path,
                request.headers.get("X-Run"),
            )
        return respond(request)

    return note


def tokens(respond):
    """Lets nobody in without a token that is good now: a token is good for one generation of its user's."""

    def check(request):
        if request.path == "/lab/refresh/":
            user = json.loads(request.body)["user"]
            rows = query(
                "INSERT INTO token (run) VALUES (%s) ON CONFLICT (run) DO UPDATE SET"
                " refreshes = token.refreshes + 1 RETURNING generation",
                user,
            )
            return JsonResponse({"token": f"{user}.{rows[0][0]}"})
        if not request.path.startswith("/private/"):
            return respond(request)
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        user, _, generation = token.rpartition(".")
        if query("SELECT 1 FROM token WHERE run = %s AND generation::text = %s", user, generation):
            return respond(request)
        answer = JsonResponse({"detail": "the token has expired"}, status=401)
        answer["WWW-Authenticate"] = 'Bearer error="invalid_token"'
        return answer

    return check


def keys(respond):
    """Answers a request that came before, with the same key, as it was answered then."""

    def answer(request):
        key = request.headers.get("Idempotency-Key")
        if key is None or not request.path.startswith("/idempotent/"):
            return respond(request)
        whole = f"{request.method} {request.path} ".encode() + request.body
        fingerprint = hashlib.sha256(whole).hexdigest()
        if not query(
            "INSERT INTO key (key, fingerprint) VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING 1",
            key,
            fingerprint,
        ):
            other, status, body = query("SELECT fingerprint, status, body FROM key WHERE key = %s", key)[0]
            if other != fingerprint:
                return JsonResponse({"detail": "the key is of another request"}, status=422)
            if status is None:
                return JsonResponse({"detail": "it is being carried out"}, status=409)
            again = HttpResponse(body, status=status, content_type="application/json")
            again["Idempotent-Replayed"] = "true"
            return again
        first = respond(request)
        body = first.content.decode()
        query("UPDATE key SET status = %s, body = %s WHERE key = %s", first.status_code, body, key)
        return first

    return answer


def arrived(request):
    """How many requests of a run arrived, by method."""
    rows = query(
        "SELECT method, count(*) FROM arrival WHERE run = %s GROUP BY method", request.GET["run"]
    )
    return JsonResponse(dict(rows))


def rows(request):
    """The companies whose name is this, and how many employees they have; and whether there is a tag."""
    name = request.GET["name"]
    companies = query("SELECT count(*) FROM company WHERE name = %s", name)[0][0]
    employees = query("SELECT count(*) FROM employee WHERE full_name = %s", name)[0][0]
    tags = query("SELECT count(*) FROM tag WHERE id = %s", name)[0][0]
    return JsonResponse({"companies": companies, "employees": employees, "tags": tags})


def expire(request):
    """Has the tokens of a user expire."""
    user = json.loads(request.body)["user"]
    query("UPDATE token SET generation = generation + 1 WHERE run = %s", user)
    return JsonResponse({})


def refreshes(request):
    """How often a user got a token after the first."""
    found = query("SELECT refreshes FROM token WHERE run = %s", request.GET["user"])
    return JsonResponse({"refreshes": found[0][0] if found else 0})


everything = [
    path("", include(routes(Pages))),
    path("cursor/", include(routes(Cursors))),
    path("offset/", include(routes(Offsets))),
]
urlpatterns = [
    path("lab/arrived/", arrived),
    path("lab/rows/", rows),
    path("lab/expire/", expire),
    path("lab/refreshes/", refreshes),
    path("private/", include(everything)),
    path("idempotent/", include(everything)),
    path("", include(everything)),
]


def migrate():
    """Makes the tables of an empty database."""
    with connection.schema_editor() as editor:
        for model in (Company, Employee, Tag):
            editor.create_model(model)
    query("CREATE TABLE arrival (method text, path text, run text)")
    query("CREATE TABLE key (key text PRIMARY KEY, fingerprint text, status int, body text)")
    query(
        "CREATE TABLE token (run text PRIMARY KEY, generation int DEFAULT 1, refreshes int DEFAULT 0)"
    )


application = get_wsgi_application()
