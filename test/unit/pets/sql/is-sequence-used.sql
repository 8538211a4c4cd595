-- isSequenceUsed, not prepared
select is_called::text
from "pets_id_seq"
