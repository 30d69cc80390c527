from django.core.management.base import BaseCommand
from polaris.models import Asset


class Command(BaseCommand):
    help = "Creates the asset that is sold here."

    def add_arguments(self, parser):
        parser.add_argument("issuer")
        parser.add_argument("distribution_seed")

    def handle(self, *args, **options):
        Asset.objects.create(
            code="USDC",
            issuer=options["issuer"],
            distribution_seed=options["distribution_seed"],
            significant_decimals=2,
            sep24_enabled=True,
            deposit_enabled=False,
            withdrawal_fee_fixed=1,
            withdrawal_fee_percent=0,
            withdrawal_min_amount=10,
            withdrawal_max_amount=10000,
        )
