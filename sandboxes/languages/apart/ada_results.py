"""The unit of tests in Ada that writes results as JSON. Used by `ada`."""

# A number of type Float is written with its type, as the checker "results" reads it.
RESULTS = """\
with Ada.Strings.Unbounded;

package Code_Eval_Results is
   procedure Open;
   procedure Close;
   procedure Add_Integer (Value : Long_Long_Integer);
   procedure Add_Float (Value : Float);
   procedure Add_Boolean (Value : Boolean);
   procedure Add_Character (Value : Character);
   procedure Add_Text (Value : String);
   procedure Add_Text (Value : Ada.Strings.Unbounded.Unbounded_String);
   procedure Add_Null;
   procedure Check (Value : Boolean) is null;
   procedure Finish;
   Never : Boolean := False;
end Code_Eval_Results;

with Ada.Text_IO;

package body Code_Eval_Results is
   All_Of_Them : Ada.Strings.Unbounded.Unbounded_String;

   procedure Put (Text : String) is
   begin
      Ada.Strings.Unbounded.Append (All_Of_Them, Text);
   end Put;

   procedure Separate_It is
      Length : constant Natural := Ada.Strings.Unbounded.Length (All_Of_Them);
   begin
      if Length > 0 and then Ada.Strings.Unbounded.Element (All_Of_Them, Length) /= '[' then
         Put (",");
      end if;
   end Separate_It;

   procedure Open is
   begin
      Separate_It;
      Put ("[");
   end Open;

   procedure Close is
   begin
      Put ("]");
   end Close;

   procedure Add_Integer (Value : Long_Long_Integer) is
   begin
      Separate_It;
      Put (Long_Long_Integer'Image (Value));
   end Add_Integer;

   procedure Add_Float (Value : Float) is
   begin
      Separate_It;
      if Value'Valid then
         Put ("{""Float"":" & Long_Long_Float'Image (Long_Long_Float (Value)) & "}");
      else
         Put ("{""Float"":null}");
      end if;
   end Add_Float;

   procedure Add_Boolean (Value : Boolean) is
   begin
      Separate_It;
      Put (if Value then "true" else "false");
   end Add_Boolean;

   procedure Add_Character (Value : Character) is
   begin
      Add_Text (String'(1 => Value));
   end Add_Character;

   procedure Add_Text (Value : String) is
      Digit : constant String := "0123456789abcdef";
      Quote : constant String := String'(1 => '"');
   begin
      Separate_It;
      Put (Quote);
      for Each of Value loop
         if Each in ' ' .. '~' and then Each /= '"' and then Each /= '\\' then
            Put (String'(1 => Each));
         else
            Put ("\\u00" & Digit (Character'Pos (Each) / 16 + 1) & Digit (Character'Pos (Each) mod 16 + 1));
         end if;
      end loop;
      Put (Quote);
   end Add_Text;

   procedure Add_Text (Value : Ada.Strings.Unbounded.Unbounded_String) is
   begin
      Add_Text (Ada.Strings.Unbounded.To_String (Value));
   end Add_Text;

   procedure Add_Null is
   begin
      Separate_It;
      Put ("null");
   end Add_Null;

   --  The candidate may have chosen another file for what it prints.
   procedure Finish is
   begin
      Ada.Text_IO.New_Line (Ada.Text_IO.Standard_Output);
      Ada.Text_IO.Put_Line
        (Ada.Text_IO.Standard_Output, "[" & Ada.Strings.Unbounded.To_String (All_Of_Them) & "]");
      Ada.Text_IO.Flush (Ada.Text_IO.Standard_Output);
   end Finish;
end Code_Eval_Results;
"""
