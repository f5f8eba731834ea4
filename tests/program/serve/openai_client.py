"""OpenAI's own client for Python, and LangChain's, against `contrastive serve`. openai_client.sh
runs it where they are installed."""

import asyncio
import base64
import struct
import unittest

import openai
from langchain_openai import OpenAIEmbeddings
from server import TEXTS, Case, encode


class Clients(Case):
    arguments = ()

    def client(self, **others):
        return openai.OpenAI(
            base_url=f"{self.server.url}/v1", api_key="any", max_retries=0, **others
        )

    def test_floats(self):
        answer = self.client().embeddings.create(model="tiny", input=TEXTS, encoding_format="float")
        self.near([row.embedding for row in answer.data], encode(TEXTS))
        self.assertEqual(
            (answer.model, answer.object, [row.index for row in answer.data]),
            ("tiny", "list", list(range(len(TEXTS)))),
        )
        self.assertGreater(answer.usage.prompt_tokens, len(TEXTS))

    def test_the_format_that_the_client_chooses(self):
        answer = self.client().embeddings.create(
            model="tiny", input=TEXTS
        )  # it asks for base64, and decodes it
        self.near([row.embedding for row in answer.data], encode(TEXTS))

    def test_base64(self):
        answer = self.client().embeddings.create(
            model="tiny", input=TEXTS, encoding_format="base64"
        )
        decoded = [
            [value for (value,) in struct.iter_unpack("<f", base64.b64decode(row.embedding))]
            for row in answer.data
        ]
        self.near(decoded, encode(TEXTS))

    def test_one_text_and_dimensions(self):
        answer = self.client().embeddings.create(model="tiny", input="A dog", dimensions=8)
        self.near([answer.data[0].embedding], encode(["A dog"], "--truncate-dim", "8"))

    def test_models(self):
        self.assertEqual([model.id for model in self.client().models.list()], ["bert_st"])

    def test_errors_are_the_classes_that_the_client_knows(self):
        client = self.client()
        with self.assertRaises(openai.BadRequestError) as caught:
            client.embeddings.create(model="tiny", input=[[1, 2, 3]])
        self.assertIn("check_embedding_ctx_length=False", caught.exception.body["message"])
        self.assertEqual(
            (caught.exception.param, caught.exception.code), ("input", "invalid_value")
        )
        with self.assertRaises(openai.UnprocessableEntityError):
            client.embeddings.create(model="tiny", input=["a"] * 3000)
        with self.assertRaises(openai.NotFoundError):
            client.completions.create(model="tiny", prompt="a")
        server = self.start(environment={"CONTRASTIVE_API_KEY": "right"})
        with self.assertRaises(openai.AuthenticationError):
            openai.OpenAI(base_url=f"{server.url}/v1", api_key="wrong").embeddings.create(
                model="tiny", input="a"
            )
        openai.OpenAI(base_url=f"{server.url}/v1", api_key="right").embeddings.create(
            model="tiny", input="a"
        )

    def test_many_at_once(self):
        async def ask_all():
            async with openai.AsyncOpenAI(
                base_url=f"{self.server.url}/v1", api_key="any", max_retries=0
            ) as client:
                return await asyncio.gather(
                    *(
                        client.embeddings.create(model="tiny", input=TEXTS[i % len(TEXTS)])
                        for i in range(200)
                    )
                )

        expected = encode(TEXTS)
        for i, answer in enumerate(asyncio.run(ask_all())):
            self.near([answer.data[0].embedding], [expected[i % len(TEXTS)]])

    def test_langchain(self):
        # Without the setting LangChain sends arrays of tokens of OpenAI's own tokenizer.
        embeddings = OpenAIEmbeddings(
            base_url=f"{self.server.url}/v1",
            api_key="any",
            model="tiny",
            check_embedding_ctx_length=False,
        )
        self.near(embeddings.embed_documents(TEXTS), encode(TEXTS))
        self.near([embeddings.embed_query("A dog")], encode(["A dog"]))


if __name__ == "__main__":
    unittest.main()
