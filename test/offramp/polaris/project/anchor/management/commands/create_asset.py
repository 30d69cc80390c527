from django.core.management.base import BaseCommand
from polaris.models import Asset, DeliveryMethod, ExchangePair, OffChainAsset


class Command(BaseCommand):
    help = "Creates the asset that is sold here, and the currency that is paid out for it."

    def add_arguments(self, parser):
        parser.add_argument("issuer")
        parser.add_argument("distribution_seed")

    def handle(self, *args, **options):
        asset = Asset.objects.create(
            code="USDC",
            issuer=options["issuer"],
            distribution_seed=options["distribution_seed"],
            significant_decimals=7,
            sep6_enabled=True,
            sep24_enabled=True,
            sep38_enabled=True,
            deposit_enabled=False,
            withdrawal_fee_fixed=1,
            withdrawal_fee_percent=0,
            withdrawal_min_amount=10,
            withdrawal_max_amount=10000,
        )
        naira = OffChainAsset.objects.create(scheme="iso4217", identifier="NGN", significant_decimals=2)
        method = {"type": DeliveryMethod.TYPE.buy, "name": "bank_account", "description": "To an account."}
        naira.delivery_methods.add(DeliveryMethod.objects.create(**method))
        ExchangePair.objects.create(
            sell_asset=asset.asset_identification_format,
            buy_asset=naira.asset_identification_format,
        )
